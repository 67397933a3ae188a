// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts a file of keys through the default space in chunks that fit a budget, with a second file as
// spare memory, so that neither the device nor the host has to hold all keys. The file then has the
// bits of a plain sort of all elements. `out_of_core_sort 33` sorts 2^33 floats, 32 GiB, in the
// folder of temporary files.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include <tandem/distributed.hpp>

namespace {

/// A folder that is removed with all files in it.
class scratch_folder {
 public:
  scratch_folder()
      : path_(std::filesystem::temp_directory_path() /
              ("out_of_core_sort." + std::to_string(getpid()))) {
    std::filesystem::create_directory(path_);
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct draw {
  template <class X, class Values>
  TANDEM_FUNCTION void operator()(tandem::index_t i, const X& x, const Values& values) const {
    x(i) = values(std::uint64_t(i));
  }
};

}  // namespace

int main(int argc, char** argv) {
  const tandem::index_t n = tandem::index_t{1} << (argc > 1 ? std::atoi(argv[1]) : 20);
  const tandem::default_space space;
  const auto bytes = std::size_t(n) * sizeof(float);
  const tandem::streamed big(space, {.budget = std::max(bytes / 4, std::size_t{1} << 16)});
  const scratch_folder folder;
  tandem::mapped<float> keys(folder / "keys.npy", {n}, tandem::new_file);
  tandem::parallel_for(big, n, draw{}, tandem::out(keys),
                       tandem::random_values<float>(tandem::normal{}, 2026));

  const auto begin = std::chrono::steady_clock::now();
  {
    tandem::mapped<float> spare(folder / "spare.npy", {n}, tandem::new_file);
    tandem::sort(big, keys, tandem::sort_order::ascending, spare);
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const float* const sorted = tandem::as_view(std::as_const(keys)).data_handle();
  std::printf("sorted %zu MiB with a budget of %zu KiB in %.2f s: %g to %g\n", bytes >> 20,
              big.how().budget >> 10, time.count(), double(sorted[0]), double(sorted[n - 1]));

  try {
    tandem::array<float> all(n);
    tandem::fill_random(space, all, tandem::normal{}, 2026);
    tandem::sort(space, all);
    const auto expected = tandem::to_vector(space, all);
    const bool same = std::memcmp(sorted, expected.data(), bytes) == 0;
    std::puts(same ? "as a plain sort" : "unlike a plain sort");
    return same ? 0 : 1;
  } catch (const tandem::out_of_memory_error&) {
    std::puts("too large for a plain sort");
  }
  return std::is_sorted(sorted, sorted + n) ? 0 : 1;
}
