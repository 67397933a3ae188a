// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/checked/access.hpp>

#include <csignal>
#include <cstdio>

/// Reports accesses through a kernel's pointer outside all memory of the program.
namespace tandem::checked {

namespace {

struct sigaction before;

/// The last access on the slow path is the one that failed if it was to the same page: memory that
/// does not exist has never been accessed before.
void print_fault(int, siginfo_t* info, void*) {
  sigaction(SIGSEGV, &before, nullptr);  // returning repeats the fault
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (current.is == mode::off) return;
  const bool is_last = last_slow.address >> page_bits == address >> page_bits;
  const std::string place = is_last ? place_of(last_slow.code) : "";
  const std::string text = "tandem: segmentation fault in " + kernel_text() + ": " +
                           actor_text(current.me) + " accesses memory" +
                           (place.empty() ? "" : " at " + place) +
                           "\n  hint: a pointer or an index is far outside of everything\n";
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

fault_watch::fault_watch() {
  struct sigaction mine {};
  mine.sa_sigaction = print_fault;
  mine.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&mine.sa_mask);
  sigaction(SIGSEGV, &mine, &before);
}

fault_watch::~fault_watch() { sigaction(SIGSEGV, &before, nullptr); }

}  // namespace tandem::checked
