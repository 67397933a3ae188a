// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes arrays to another library and back through DLPack, without a copy, as they are exchanged
// with NumPy, PyTorch and JAX. The other library is a namespace here that knows only DLPack's
// structs. On a GPU the matrix stays in the GPU's memory.
#include <cstdint>
#include <cstdio>
#include <utility>

#include <tandem/dlpack.hpp>
#include <tandem/tandem.hpp>

namespace other_library {

using tandem::dlpack::managed_tensor;

/// Takes ownership of a matrix and returns its transpose, which has the same elements.
managed_tensor* transpose(managed_tensor* matrix) {
  std::swap(matrix->tensor.extents[0], matrix->tensor.extents[1]);
  std::swap(matrix->tensor.strides[0], matrix->tensor.strides[1]);
  return matrix;
}

int tensors_released = 0;

struct samples {
  double values[1000];
  std::int64_t extent = 1000;
  managed_tensor managed{};
};

/// The numbers 1 to 1000 in host memory, owned by whoever takes the tensor.
managed_tensor* make_samples() {
  auto* const made = new samples;
  for (int i = 0; i < 1000; ++i) made->values[i] = i + 1;
  made->managed.tensor.data = made->values;
  made->managed.tensor.device = {tandem::dlpack::device_type::cpu, 0};
  made->managed.tensor.rank = 1;
  made->managed.tensor.type = {tandem::dlpack::type_code::floating_point, 64, 1};
  made->managed.tensor.extents = &made->extent;  // no strides: the elements are contiguous
  made->managed.context = made;
  made->managed.deleter = [](managed_tensor* self) {
    delete static_cast<samples*>(self->context);
    ++tensors_released;
  };
  return &made->managed;
}

}  // namespace other_library

int main() {
  const int rows = 300, columns = 200;
  const tandem::default_space space;
  tandem::array<int, 2> matrix({rows, columns}, space);
  const auto m = matrix.view();
  tandem::parallel_for(
      space, tandem::grid{rows, columns},
      TANDEM_LAMBDA(int i, int j) { m(i, j) = i * columns + j; });

  // Export: the tensor owns the array. DLPack carries no stream, so the work is completed first.
  space.fence();
  auto* const tensor = tandem::to_dlpack(std::move(matrix));

  // Import: the object owns what the other library returns; algorithms take it as an array.
  using memory = tandem::default_space::memory_type;
  const tandem::dlpack_array<int, 2, memory> transposed(other_library::transpose(tensor));
  const auto t = transposed.view();
  const auto wrong = tandem::parallel_reduce(
      space, tandem::grid{columns, rows},
      TANDEM_LAMBDA(int j, int i) { return t(j, i) == i * columns + j ? 0 : 1; });
  const bool is_same_memory = t.data_handle() == m.data_handle();

  // Import from host memory: the elements are copied into an array in the kernels' memory.
  double sum = 0;
  {
    const tandem::dlpack_array<const double> lent(other_library::make_samples());
    const tandem::array<double> x(lent, space);
    sum = tandem::parallel_reduce(space, x);
  }
  std::printf("%d of %d elements are wrong, %s; samples add up to %g, %d released\n", int(wrong),
              rows * columns, is_same_memory ? "no copy" : "copied", sum,
              other_library::tensors_released);
  const bool is_right = wrong == 0 && is_same_memory && sum == 500500;
  return is_right && other_library::tensors_released == 1 ? 0 : 1;
}
