// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <vector>

#include <tandem/dlpack.hpp>
#include <tandem/tandem.hpp>

using tandem::dlpack::device_type;
using tandem::dlpack::managed_tensor;
using tandem::dlpack::type_code;

static_assert(sizeof(managed_tensor) == 64 && offsetof(tandem::dlpack::tensor, byte_offset) == 40,
              "the layout of DLPack 0.8");

TEST_CASE("dlpack: an array crosses without a copy, and algorithms take what comes back") {
  const tandem::serial space;
  tandem::array<float, 2, tandem::serial> x({3, 4}, 1.5f, space);
  const float* const data = x.data_handle();
  managed_tensor* const tensor = tandem::to_dlpack(std::move(x));
  CHECK(tensor->tensor.data == data);
  CHECK(tensor->tensor.device.type == device_type::cpu);
  CHECK(tensor->tensor.type.code == type_code::floating_point);
  CHECK(tensor->tensor.type.bits == 32);
  CHECK(tensor->tensor.strides[0] == 4);
  const tandem::dlpack_array<float, 2> y(tensor);
  CHECK(tandem::parallel_reduce(space, y) == 18);
  CHECK(y.view().data_handle() == data);
}

TEST_CASE("dlpack: a view lends its elements, with strides and types of its own") {
  std::vector<std::complex<float>> values(10);
  const auto odd = tandem::subview(tandem::as_view(values), tandem::slice{1, 10, 2});
  managed_tensor* const tensor = tandem::to_dlpack(odd);
  CHECK(tensor->tensor.data == &values[1]);
  CHECK(tensor->tensor.strides[0] == 2);
  CHECK(tensor->tensor.extents[0] == 5);
  CHECK(tensor->tensor.type.code == type_code::complex);
  CHECK(tensor->tensor.type.bits == 64);
  tensor->deleter(tensor);
  bool flag = true;
  const tandem::view<bool, 0, tandem::layout_right, tandem::device_memory> on_device(
      &flag, tandem::extents<0>{});
  managed_tensor* const scalar = tandem::to_dlpack(on_device, 3);
  CHECK(scalar->tensor.device.type == device_type::cuda);
  CHECK(scalar->tensor.device.id == 3);
  CHECK(scalar->tensor.type.code == type_code::boolean);
  using bools_of_host = tandem::dlpack_array<bool, 0>;
  CHECK_THROWS_WITH_AS(bools_of_host{scalar},
                       "dlpack_array: the tensor is in memory of another kind",
                       tandem::argument_error);
  CHECK(tandem::dlpack_array<bool, 0, tandem::device_memory>(scalar).device() == 3);
}

TEST_CASE("dlpack: a tensor of another type or rank is refused, and stays the caller's") {
  managed_tensor* const tensor = tandem::to_dlpack(std::vector<std::int32_t>{1, 2, 3});
  CHECK_THROWS_WITH_AS(tandem::dlpack_array<float>{tensor},
                       "dlpack_array: the tensor's elements are code 0, 32 bits, 1 lanes; not code "
                       "2, 32 bits, 1 lanes",
                       tandem::argument_error);
  using matrix = tandem::dlpack_array<std::int32_t, 2>;
  CHECK_THROWS_WITH_AS(matrix{tensor}, "dlpack_array: the tensor's rank is 1, not 2",
                       tandem::argument_error);
  // Row-major tensors may come without strides, and with an offset.
  tensor->tensor.strides = nullptr;
  tensor->tensor.byte_offset = 4;
  tensor->tensor.extents[0] = 2;
  const tandem::dlpack_array<const std::int32_t> tail(tensor);
  CHECK(tail.view()(0) == 2);
  CHECK(tail.view()(1) == 3);
}
