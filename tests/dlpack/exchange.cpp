// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges tensors with Python. tests/checks/check_dlpack.py compiles this as a library.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <tandem/dlpack.hpp>

using tandem::dlpack::managed_tensor;

namespace {

/// Counts how many times the owner is released.
int freed = 0;

struct counted_matrix {
  std::unique_ptr<float[]> elements;

  explicit counted_matrix(int n) : elements(new float[static_cast<std::size_t>(n)]) {
    for (int i = 0; i < n; ++i) elements[static_cast<std::size_t>(i)] = static_cast<float>(i);
  }
  counted_matrix(counted_matrix&&) = default;
  ~counted_matrix() { freed += elements != nullptr ? 1 : 0; }

  /// 3 x 4, column-major.
  auto view() const {
    return tandem::view<float, 2, tandem::layout_left, tandem::host_memory>(elements.get(), {3, 4});
  }
};

}  // namespace

extern "C" {

managed_tensor* make_matrix() { return tandem::to_dlpack(counted_matrix(12)); }

managed_tensor* make_vector(int kind) {
  if (kind == 0) return tandem::to_dlpack(std::vector<std::uint8_t>{1, 2, 255});
  if (kind == 1) return tandem::to_dlpack(std::vector<std::int64_t>{-1, 2, 3});
  if (kind == 2) return tandem::to_dlpack(std::vector<tandem::half>{tandem::half(1.5f)});
  return tandem::to_dlpack(std::vector<tandem::complex<double>>{{1.0, -2.0}});
}

int times_freed() { return freed; }

/// Takes over a matrix of doubles in GPU memory and hands it out again; null if it is none.
managed_tensor* hand_back(managed_tensor* tensor) {
  try {
    tandem::dlpack_array<double, 2, tandem::device_memory> matrix(tensor);
    const int device = matrix.device();
    return tandem::to_dlpack(std::move(matrix), device);
  } catch (const tandem::argument_error&) {
    return nullptr;
  }
}

/// Returns the sum of a matrix of doubles, which is doubled in place; -1 if it is none.
double sum_and_double(managed_tensor* tensor) {
  try {
    const tandem::dlpack_array<double, 2> matrix(tensor);
    double sum = 0;
    const auto v = matrix.view();
    for (tandem::index_t j = 0; j < v.extent(0); ++j) {
      for (tandem::index_t i = 0; i < v.extent(1); ++i) {
        sum += v(j, i);
        v(j, i) *= 2;
      }
    }
    return sum;
  } catch (const tandem::argument_error&) {
    return -1;
  }
}
}
