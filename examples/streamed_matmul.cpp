// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multiplies matrices in files that are mapped, through the default space and within a budget of an
// eighth of their size. Neither the device nor the host needs memory for all of them. The product
// has the bits of the plain call. `streamed_matmul 65536` multiplies files of 16 GiB each.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <tandem/distributed.hpp>

namespace {

namespace fs = std::filesystem;
using tandem::index_t;
using matrix = tandem::mapped<float, 2>;

struct draw_element {
  template <class X, class Values>
  TANDEM_FUNCTION void operator()(index_t i, index_t j, const X& x, const Values& values) const {
    x(i, j) = values(std::uint64_t(i * x.extent(1) + j));
  }
};

/// Fills a new file with normal variables.
matrix draw(const tandem::streamed<tandem::default_space>& big, const fs::path& path, index_t n,
            std::uint64_t seed) {
  matrix x(path.string(), {n, n}, tandem::new_file);
  tandem::parallel_for(big, tandem::grid{n, n}, draw_element{}, tandem::out(x),
                       tandem::random_values<float>(tandem::normal{}, seed));
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const index_t n = argc > 1 ? std::atoll(argv[1]) : 700;
  const tandem::default_space space;
  const std::size_t bytes = 3 * std::size_t(n) * std::size_t(n) * sizeof(float);
  const tandem::streamed big(space, {.budget = bytes / 8});
  const fs::path folder = fs::temp_directory_path() / "tandem_streamed_matmul";
  fs::create_directories(folder);

  const matrix a = draw(big, folder / "a.npy", n, 1);
  const matrix b = draw(big, folder / "b.npy", n, 2);
  matrix c((folder / "c.npy").string(), {n, n}, tandem::new_file);
  const auto start = std::chrono::steady_clock::now();
  tandem::matmul(big, a, b, c);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf("%zu MiB through a budget of %zu KiB: %.3g s, %.3g TFLOP/s\n", bytes >> 20,
              big.how().budget >> 10, time.count(),
              2e-12 * double(n) * double(n) * double(n) / time.count());
  fs::remove_all(folder);  // the mappings keep the elements
  try {
    const tandem::array<float, 2> a0(a), b0(b), c0(c);
    tandem::array<float, 2> product({n, n});
    tandem::matmul(space, a0, b0, product);
    tandem::array<int, 2> different({n, n});
    tandem::transform(
        space, c0, product, different, TANDEM_LAMBDA(float x, float y) { return x != y ? 1 : 0; });
    const bool same = tandem::parallel_reduce(space, different) == 0;
    std::puts(same ? "as the plain call" : "unlike the plain call");
    return same ? 0 : 1;
  } catch (const tandem::out_of_memory_error&) {
    std::puts("too large for a plain call");
  }
  return 0;
}
