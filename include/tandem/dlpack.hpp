// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Exchanges arrays with NumPy, PyTorch, JAX and other libraries without a copy, through the binary
/// interface of DLPack 0.8 (github.com/dmlc/dlpack). Its structs are declared here.
///
///   auto* tensor = tandem::to_dlpack(std::move(x));  // owns x until its deleter is called
///   tandem::dlpack_array<float, 2> y(tensor);        // owns the tensor; y.view() is a view
///
/// A Python extension wraps the pointer in a capsule named "dltensor", which np.from_dlpack and
/// torch.from_dlpack take.

#include <tandem/core/errors.hpp>
#include <tandem/core/numbers/complex.hpp>
#include <tandem/core/numbers/half.hpp>
#include <tandem/core/view/viewable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace tandem {

/// The structs and numbers of DLPack's ABI.
namespace dlpack {

/// Kinds of memory that tandem knows: DLPack's DLDeviceType.
enum class device_type : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

/// DLPack's DLDevice.
struct device {
  device_type type;
  std::int32_t id;  ///< of a device; 0 for host memory
};

/// DLPack's DLDataTypeCode.
enum class type_code : std::uint8_t {
  signed_integer = 0,
  unsigned_integer = 1,
  floating_point = 2,
  bfloat = 4,
  complex = 5,
  boolean = 6
};

/// DLPack's DLDataType.
struct data_type {
  type_code code;
  std::uint8_t bits;
  std::uint16_t lanes;  ///< 1 except for vector types

  friend bool operator==(const data_type&, const data_type&) = default;
};

/// DLPack's DLTensor.
struct tensor {
  void* data;
  dlpack::device device;
  std::int32_t rank;
  data_type type;
  std::int64_t* extents;
  std::int64_t* strides;  ///< in elements; null if the tensor is row-major without gaps
  std::uint64_t byte_offset;
};

/// DLPack's DLManagedTensor: a tensor and the function that releases its memory.
struct managed_tensor {
  dlpack::tensor tensor;
  void* context;
  void (*deleter)(managed_tensor*);
};

}  // namespace dlpack

namespace detail {

template <class T>
inline constexpr bool is_any_complex = is_complex<T>;
template <class T>
  requires complex_like<T, typename T::value_type>
inline constexpr bool is_any_complex<T> = true;

template <class T>
consteval dlpack::data_type dlpack_type() {
  using dlpack::type_code;
  constexpr auto bits = static_cast<std::uint8_t>(8 * sizeof(T));
  if constexpr (std::is_same_v<T, bool>) {
    return {type_code::boolean, bits, 1};
  } else if constexpr (std::is_integral_v<T>) {
    return {std::is_signed_v<T> ? type_code::signed_integer : type_code::unsigned_integer, bits, 1};
  } else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, half>) {
    return {type_code::floating_point, bits, 1};
  } else if constexpr (std::is_same_v<T, bf16>) {
    return {type_code::bfloat, bits, 1};
  } else {
    static_assert(is_any_complex<T>, "tandem: dlpack: the elements are numbers");
    return {type_code::complex, bits, 1};
  }
}

template <class Memory>
constexpr dlpack::device dlpack_device(int id) {
  if constexpr (!Memory::host_accessible) return {dlpack::device_type::cuda, id};
  if constexpr (Memory::device_accessible) return {dlpack::device_type::cuda_host, 0};
  return {dlpack::device_type::cpu, 0};
}

/// Whether code that can access `Memory` can access memory of this kind.
template <class Memory>
constexpr bool reaches_dlpack(dlpack::device_type type) {
  using dlpack::device_type;
  const bool on_host = type != device_type::cuda;
  const bool on_gpu = type != device_type::cpu;
  return (on_host || !Memory::host_accessible) && (on_gpu || !Memory::device_accessible);
}

/// The target of a tensor's context pointer: the owner of the elements, and the tensor itself.
template <class Owner, int Rank>
struct dlpack_export {
  Owner owner;
  std::int64_t extents[static_cast<std::size_t>(Rank > 0 ? Rank : 1)] = {};
  std::int64_t strides[static_cast<std::size_t>(Rank > 0 ? Rank : 1)] = {};
  dlpack::managed_tensor managed{};

  explicit dlpack_export(Owner&& moved) : owner(std::move(moved)) {}
};

inline std::string dlpack_text(const dlpack::data_type& type) {
  return "code " + text(static_cast<index_t>(type.code)) + ", " + text(type.bits) + " bits, " +
         text(type.lanes) + " lanes";
}

}  // namespace detail

/// Hands an array or container over to another library: the tensor owns the elements until its
/// deleter is called. Handing over a view transfers no ownership; its elements must outlive the
/// tensor. Const elements are not marked, because DLPack 0.8 cannot express them.
///
/// The caller makes sure that the work that writes the elements is complete, or is ordered before
/// the other library's: DLPack carries no stream here.
/// @param x       a view, or an array or container by std::move
/// @param device  number of the device that has the memory; ignored for host memory
/// Errors: std::bad_alloc.
///
/// Complexity  constant: no element is copied
template <viewable X>
dlpack::managed_tensor* to_dlpack(X&& x, int device = 0) {
  using Owner = std::remove_cvref_t<X>;
  static_assert(is_view<Owner> || !std::is_lvalue_reference_v<X>,
                "tandem: to_dlpack: the tensor takes the array over: pass std::move(x), or "
                "x.view() to lend its elements");
  using View = decltype(as_view(std::declval<Owner&>()));
  using T = typename View::value_type;
  auto made =
      std::make_unique<detail::dlpack_export<Owner, View::rank()>>(Owner(std::forward<X>(x)));
  const View v = as_view(made->owner);
  for (int d = 0; d < View::rank(); ++d) {
    made->extents[d] = v.extent(d);
    made->strides[d] = v.stride(d);
  }
  made->managed.tensor = {const_cast<T*>(v.data_handle()),
                          detail::dlpack_device<typename View::memory_type>(device),
                          View::rank(),
                          detail::dlpack_type<T>(),
                          made->extents,
                          made->strides,
                          0};
  made->managed.context = made.get();
  made->managed.deleter = [](dlpack::managed_tensor* self) {
    delete static_cast<detail::dlpack_export<Owner, View::rank()>*>(self->context);
  };
  return &made.release()->managed;
}

/// Owns elements that another library allocated, until the object is destroyed. Move-only;
/// algorithms take it as they take an array.
///
/// @tparam T       type of the elements; const T if they are read-only
/// @tparam Memory  host_memory, or device_memory for tensors of a GPU
template <class T, int Rank = 1, class Memory = host_memory>
class dlpack_array {
 public:
  using view_type = tandem::view<T, Rank, layout_stride, Memory>;

  /// Takes ownership of the tensor. A Python extension then renames the capsule to "used_dltensor".
  /// Errors: argument_error if its elements, rank or memory do not match the type; the caller then
  /// still owns the tensor.
  ///
  /// Complexity  constant: no element is copied
  explicit dlpack_array(dlpack::managed_tensor* from) : view_(checked(from)), tensor_(from) {}

  /// The number of the device that has the memory; 0 for host memory.
  int device() const { return tensor_->tensor.device.id; }
  view_type view() const { return view_; }

 private:
  static view_type checked(const dlpack::managed_tensor* from) {
    detail::require(from != nullptr, "dlpack_array", "the tensor is null");
    const dlpack::tensor& t = from->tensor;
    constexpr dlpack::data_type type = detail::dlpack_type<std::remove_const_t<T>>();
    detail::require(
        t.rank == Rank, "dlpack_array",
        ("the tensor's rank is " + detail::text(t.rank) + ", not " + detail::text(Rank)).c_str());
    detail::require(t.type == type, "dlpack_array",
                    ("the tensor's elements are " + detail::dlpack_text(t.type) + "; not " +
                     detail::dlpack_text(type))
                        .c_str());
    detail::require(detail::reaches_dlpack<Memory>(t.device.type), "dlpack_array",
                    "the tensor is in memory of another kind");
    extents<Rank> sizes;
    extents<Rank> strides;
    index_t step = 1;
    for (int d = Rank - 1; d >= 0; --d) {
      sizes[d] = t.extents[d];
      strides[d] = t.strides == nullptr ? step : t.strides[d];
      step *= t.extents[d];
    }
    auto* const data = reinterpret_cast<T*>(static_cast<char*>(t.data) + t.byte_offset);
    return view_type(data, layout_stride::mapping<Rank>(sizes, strides));
  }

  struct release {
    void operator()(dlpack::managed_tensor* tensor) const {
      if (tensor->deleter != nullptr) tensor->deleter(tensor);
    }
  };

  view_type view_;
  std::unique_ptr<dlpack::managed_tensor, release> tensor_;
};

}  // namespace tandem
