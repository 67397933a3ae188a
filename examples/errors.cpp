// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Catches errors and continues: a launch that no device can run, an allocation that does not fit,
// operands that do not match. Each is an exception with the numbers in its message, on every
// backend, and nothing has changed when it is thrown.
#include <cstdio>

#include <tandem/tandem.hpp>

namespace {

/// Whether f throws an Error; prints its message.
template <class Error, class Function>
bool throws(const Function& f) {
  try {
    f();
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    return true;
  }
  return false;
}

}  // namespace

int main() {
  const int n = 1000;
  tandem::array<int> x({n}, 1), short_one({n - 1}, 1);
  const auto v = x.view();
  const auto twice = TANDEM_LAMBDA(int i) { v(i) *= 2; };

  // A block of 2048 threads is too large: a device allows at most 1024.
  const bool refused = throws<tandem::argument_error>(
      [&] { tandem::parallel_for(tandem::range{n}.with_block(2048), twice); });
  // 2^60 bytes.
  const bool out_of_memory = throws<tandem::out_of_memory_error>(
      [&] { tandem::array<char>{tandem::extents<1>(tandem::index_t{1} << 60)}; });
  const bool too_short =
      throws<tandem::extent_error>([&] { tandem::copy(x.const_view(), short_one.view()); });

  // The library remains usable, and the refused loop has not run.
  tandem::parallel_for(n, twice);
  const auto sum = tandem::parallel_reduce(x);
  std::printf("the sum is %d\n", int(sum));
  return refused && out_of_memory && too_short && sum == 2 * n ? 0 : 1;
}
