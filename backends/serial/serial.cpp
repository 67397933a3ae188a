// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/serial/serial.hpp>

#include <tandem/core/contract/host/clock.hpp>
#include <tandem/core/memory/host_memory.hpp>

namespace tandem {

host_event serial::record() const { return detail::present(); }

void* serial_resource::allocate(std::size_t bytes) {
  return detail::allocate_host("serial", bytes);
}

void serial_resource::deallocate(void* pointer, std::size_t) noexcept {
  detail::free_host(pointer);
}

}  // namespace tandem
