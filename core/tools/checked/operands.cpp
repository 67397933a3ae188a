// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/errors.hpp>
#include <tandem/core/tools/checked/access.hpp>
#include <tandem/core/tools/checked/ranges.hpp>

#include <cstring>
#include <mutex>

/// Operands of operations that no kernel of a user reads.
namespace tandem::checked {

namespace {

/// Whether an element has the pattern of unwritten memory, and nothing has been seen to write it.
bool has_no_value(const unsigned char* p, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (p[i] != unwritten_byte) return false;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const page& known = find_page(address);
  return known.cells[(address & (page_bytes - 1)) >> known.shift].writer.who == unwritten;
}

/// Returns the first element without a value, in row-major order; null if there is none.
const unsigned char* find_no_value(const unsigned char* p, std::size_t bytes, int rank,
                                   const index_t* extents, const index_t* strides) {
  if (rank == 0) return has_no_value(p, bytes) ? p : nullptr;
  for (index_t i = 0; i < extents[0]; ++i) {
    const unsigned char* const found =
        rank > 1 ? find_no_value(p, bytes, rank - 1, extents + 1, strides + 1)
                 : (*p == unwritten_byte && has_no_value(p, bytes) ? p : nullptr);
    if (found != nullptr) return found;
    p += strides[0] * static_cast<index_t>(bytes);
  }
  return nullptr;
}

}  // namespace

void require_written(const char* operation, const char* operand, element_type type,
                     const void* first, int rank, const index_t* extents, const index_t* strides) {
  for (int d = 0; d < rank; ++d) {
    if (extents[d] == 0) return;
  }
  if (type.bytes < 4 || current.is != mode::off) return;
  const std::lock_guard guard(runtime_lock());
  const range* const r = find_range(reinterpret_cast<std::uintptr_t>(first));
  if (r == nullptr) return;
  const auto* found = static_cast<const unsigned char*>(first);
  if (!r->is_dead) found = find_no_value(found, type.bytes, rank, extents, strides);
  if (found == nullptr) return;
  const auto code = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  const suspect s{reinterpret_cast<std::uintptr_t>(found), type.bytes, code, false, false};
  finding f = make_finding(r->is_dead ? "dead" : "unwritten", r, s, s.address);
  f.operation = operation;
  f.who = 0;
  f.value = std::string("operand ") + operand;
  f.hint = r->is_dead ? "the array has been destroyed or moved to: keep it alive while its views "
                        "are used"
                      : "nothing has written this element: fill the array, or check which part "
                        "kernels write";
  throw kernel_error(report(f));
}

void fail_identity(const char* operation, const std::string& identity, const std::string& term) {
  const std::string hint =
      "name an identity of the operation, and an initial value by with_initial()";
  if (current.is == mode::off) {
    const std::lock_guard guard(runtime_lock());
    finding f;
    f.kind = "identity";
    f.operation = operation;
    f.element = identity;
    f.access = "changes";
    f.value = term;
    f.place = place_of(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
    f.hint = hint;
    report(f);
  }
  throw argument_error(operation + (": " + identity) + " changes " + term + ": " + hint);
}

}  // namespace tandem::checked
