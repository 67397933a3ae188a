// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include <tandem/dlpack.hpp>
#include <tandem/tandem.hpp>

using tandem::dlpack::device_type;
using tandem::dlpack::managed_tensor;
using versioned = tandem::dlpack::managed_tensor_versioned;
using tandem::dlpack::type_code;

static_assert(sizeof(managed_tensor) == 64 && offsetof(tandem::dlpack::tensor, byte_offset) == 40,
              "the layout of DLPack 0.8");
static_assert(sizeof(versioned) == 80 && offsetof(versioned, context) == 8 &&
                  offsetof(versioned, flags) == 24 && offsetof(versioned, tensor) == 32,
              "the layout of DLPack 1.0");

namespace {

/// A tensor of a 2 x 3 matrix of floats, owned by nobody.
struct described {
  float elements[6] = {0, 1, 2, 3, 4, 5};
  std::int64_t extents[2] = {2, 3};
  std::int64_t strides[2] = {3, 1};
  managed_tensor managed{};

  described() {
    managed.tensor = {
        elements, {device_type::cpu, 0}, 2, {type_code::floating_point, 32, 1}, extents, strides,
        0};
  }
};

template <class Memory = tandem::host_memory>
void take(described& from) {
  const tandem::dlpack_array<float, 2, Memory> taken(&from.managed);
}

}  // namespace

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
                       "dlpack_array: the tensor is in memory of another kind (device type 2 of "
                       "DLPack)",
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

TEST_CASE("dlpack: memory that tandem does not know is neither the host's nor CUDA's") {
  described x;
  take(x);
  for (const int type : {0, 4, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 99, -1}) {
    x.managed.tensor.device.type = static_cast<device_type>(type);
    CHECK_THROWS_AS(take(x), tandem::argument_error);
    CHECK_THROWS_AS(take<tandem::device_memory>(x), tandem::argument_error);
  }
  x.managed.tensor.device.type = static_cast<device_type>(10);
  CHECK_THROWS_WITH(take(x),
                    "dlpack_array: the tensor is in memory of another kind (device type 10 of "
                    "DLPack)");
  for (const device_type both : {device_type::cuda_host, device_type::cuda_managed}) {
    x.managed.tensor.device.type = both;
    take(x);
    take<tandem::device_memory>(x);
  }
}

TEST_CASE("dlpack: extents that are null, negative or too many are refused") {
  described x;
  x.extents[1] = -1;
  CHECK_THROWS_WITH_AS(take(x), "dlpack_array: extent of the tensor (-1) < smallest (0)",
                       tandem::extent_error);
  x.extents[0] = std::int64_t{1} << 62;
  x.extents[1] = 4;
  CHECK_THROWS_AS(take(x), tandem::extent_error);
  x.managed.tensor.strides = nullptr;
  CHECK_THROWS_AS(take(x), tandem::extent_error);
  x.extents[0] = 0;
  take(x);
  x.managed.tensor.extents = nullptr;
  CHECK_THROWS_WITH_AS(take(x), "dlpack_array: the tensor's extents are null",
                       tandem::argument_error);
}

TEST_CASE("dlpack: elements without memory or alignment are refused") {
  described x;
  x.extents[0] = 1;
  x.managed.tensor.byte_offset = 12;
  take(x);
  x.managed.tensor.byte_offset = 2;
  CHECK_THROWS_WITH_AS(take(x),
                       "dlpack_array: the elements, at byte_offset 2, are not aligned to 4 bytes",
                       tandem::argument_error);
  for (const std::uint64_t offset : {~std::uint64_t{3}, std::uint64_t{0x7fffffffffffff00}}) {
    x.managed.tensor.byte_offset = offset;
    CHECK_THROWS_WITH_AS(take(x), doctest::Contains("leads past all memory"),
                         tandem::argument_error);
  }
  x.managed.tensor.byte_offset = 0;
  x.managed.tensor.data = nullptr;
  CHECK_THROWS_WITH_AS(take(x), "dlpack_array: the tensor has 3 elements but no memory (null)",
                       tandem::argument_error);
  x.extents[0] = 0;
  take(x);
}

TEST_CASE("dlpack: bytes outside all addresses are refused") {
  described x;
  const auto refuse = [&] {
    CHECK_THROWS_WITH_AS(take(x),
                         "dlpack_array: the tensor's extents and strides lead past all memory",
                         tandem::argument_error);
  };
  x.strides[0] = (std::int64_t{1} << 61) - 8;
  refuse();
  x.strides[0] = -x.strides[0];
  refuse();
  x.extents[0] = 0;
  take(x);
  x.extents[0] = 2;
  x.strides[0] = -3;
  x.managed.tensor.byte_offset = 12;
  take(x);
  x.managed.tensor.data = nullptr;
  x.managed.tensor.byte_offset = 0;
  CHECK_THROWS_AS(take(x), tandem::argument_error);
  x.managed.tensor.data = reinterpret_cast<void*>(std::uintptr_t{8});
  refuse();
  x.strides[0] = 3;
  x.managed.tensor.data = reinterpret_cast<void*>((~std::uintptr_t{0} >> 1) - 3);
  refuse();
}

TEST_CASE("dlpack: host memory is on device 0, whatever the tensor says") {
  described x;
  x.managed.tensor.device.id = 5;
  for (const device_type type :
       {device_type::cpu, device_type::cuda_host, device_type::cuda_managed}) {
    x.managed.tensor.device.type = type;
    const tandem::dlpack_array<float, 2> taken(&x.managed);
    CHECK(taken.device() == 0);
  }
}

TEST_CASE("dlpack: an array that was moved from has no elements") {
  described x;
  tandem::dlpack_array<float, 2> first(&x.managed);
  tandem::dlpack_array<float, 2> second(std::move(first));
  CHECK(first.view().empty());  // NOLINT(bugprone-use-after-move): what a move leaves is specified.
  CHECK(first.view().data_handle() == nullptr);
  CHECK(second.view().data_handle() == x.elements);
  first = std::move(second);
  CHECK(second.view().empty());  // NOLINT(bugprone-use-after-move)
  CHECK(first.view()(1, 2) == 5);
}

TEST_CASE("dlpack: tensors of version 1 cross both ways, and say whether they are read-only") {
  versioned* const whole = tandem::to_dlpack_versioned(std::vector<float>{1, 2, 3});
  CHECK(whole->version.major == 1);
  CHECK(whole->version.minor == 0);
  CHECK(whole->flags == 0);
  const tandem::dlpack_array<float> back(whole);
  CHECK(back.view()(2) == 3);
  versioned* const lent = tandem::to_dlpack_versioned(
      tandem::view<const float, 1, tandem::layout_right, tandem::host_memory>(
          back.view().data_handle(), {3}));
  CHECK(lent->flags == tandem::dlpack::read_only);
  CHECK_THROWS_WITH_AS(tandem::dlpack_array<float>{lent},
                       "dlpack_array: the tensor is read-only: take it as const elements",
                       tandem::argument_error);
  lent->version = {2, 1};
  CHECK_THROWS_WITH_AS(tandem::dlpack_array<const float>{lent},
                       "dlpack_array: the tensor's version of DLPack is 2.1; not 1",
                       tandem::argument_error);
  lent->version = {1, 7};
  const tandem::dlpack_array<const float> read(lent);
  CHECK(read.view()(0) == 1);
}
