// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Exchanges arrays with NumPy, PyTorch, JAX and other libraries without a copy, through the binary
/// interfaces of DLPack 0.8 and 1.0 (github.com/dmlc/dlpack). Their structs are declared here.
///
///   auto* tensor = tandem::to_dlpack(std::move(x));  // owns x until its deleter is called
///   tandem::dlpack_array<float, 2> y(tensor);        // owns the tensor; y.view() is a view
///
/// A Python extension wraps the pointer in a capsule named "dltensor", which np.from_dlpack and
/// torch.from_dlpack take. The tensor of to_dlpack_versioned goes into one named
/// "dltensor_versioned", if the consumer asked for max_version=(1, 0) or later.

// Macros of <windows.h> and others.
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max

#include <tandem/core/errors.hpp>
#include <tandem/core/numbers/complex.hpp>
#include <tandem/core/numbers/half.hpp>
#include <tandem/core/view/overlap.hpp>
#include <tandem/core/view/viewable.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

/// DLPack's DLPackVersion. A different major number is a different layout.
struct version {
  std::uint32_t major;
  std::uint32_t minor;
};

/// Bit of managed_tensor_versioned::flags: the elements must not be written.
/// DLPACK_FLAG_BITMASK_READ_ONLY.
inline constexpr std::uint64_t read_only = 1;

/// DLPack's DLManagedTensorVersioned, which replaces DLManagedTensor in DLPack 1.0.
struct managed_tensor_versioned {
  dlpack::version version;
  void* context;
  void (*deleter)(managed_tensor_versioned*);
  std::uint64_t flags;  ///< read_only, or 0; others are allowed
  dlpack::tensor tensor;
};

}  // namespace dlpack

namespace detail {

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

/// Whether code that can access `Memory` can access memory of this kind. Kinds that tandem does not
/// know are out of reach: DLPack's numbers include ROCm, Vulkan and Metal.
template <class Memory>
constexpr bool reaches_dlpack(dlpack::device_type type) {
  using dlpack::device_type;
  const bool on_both = type == device_type::cuda_host || type == device_type::cuda_managed;
  const bool on_host = on_both || type == device_type::cpu;
  const bool on_gpu = on_both || type == device_type::cuda;
  return (on_host || on_gpu) && (on_host || !Memory::host_accessible) &&
         (on_gpu || !Memory::device_accessible);
}

/// The target of a tensor's context pointer: the owner of the elements, and the tensor itself.
template <class Managed, class Owner, int Rank>
struct dlpack_export {
  Owner owner;
  std::int64_t extents[static_cast<std::size_t>(Rank > 0 ? Rank : 1)] = {};
  std::int64_t strides[static_cast<std::size_t>(Rank > 0 ? Rank : 1)] = {};
  Managed managed{};

  explicit dlpack_export(Owner&& moved) : owner(std::move(moved)) {}
};

inline std::string dlpack_text(const dlpack::data_type& type) {
  return message(
      {"code ", static_cast<int>(type.code), ", ", type.bits, " bits, ", type.lanes, " lanes"});
}

/// Makes the tensor of to_dlpack() or to_dlpack_versioned().
template <class Managed, class X>
Managed* make_dlpack(X&& x, int device) {
  using Owner = std::remove_cvref_t<X>;
  static_assert(is_view<Owner> || !std::is_lvalue_reference_v<X>,
                "tandem: to_dlpack: the tensor takes the array over: pass std::move(x), or "
                "x.view() to lend its elements");
  using View = decltype(as_view(std::declval<Owner&>()));
  using T = typename View::value_type;
  using Export = dlpack_export<Managed, Owner, View::rank()>;
  auto made = std::make_unique<Export>(Owner(std::forward<X>(x)));
  const View v = as_view(made->owner);
  for (int d = 0; d < View::rank(); ++d) {
    made->extents[d] = v.extent(d);
    made->strides[d] = v.stride(d);
  }
  made->managed.tensor = {const_cast<T*>(v.data_handle()),
                          dlpack_device<typename View::memory_type>(device),
                          View::rank(),
                          dlpack_type<T>(),
                          made->extents,
                          made->strides,
                          0};
  if constexpr (std::is_same_v<Managed, dlpack::managed_tensor_versioned>) {
    made->managed.version = {1, 0};
    made->managed.flags =
        std::is_const_v<typename View::element_type> ? dlpack::read_only : std::uint64_t{0};
  }
  made->managed.context = made.get();
  made->managed.deleter = [](Managed* self) { delete static_cast<Export*>(self->context); };
  return &made.release()->managed;
}

/// The address of a tensor's first element. Errors: argument_error.
template <class T>
T* dlpack_data(const dlpack::tensor& t) {
  std::intptr_t address = 0;  // programs have the lower half of the address space
  if (__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(t.data), t.byte_offset, &address)) {
    fail_argument("dlpack_array",
                  message({"byte_offset (", t.byte_offset, ") leads past all memory"}).c_str());
  }
  if (static_cast<std::uintptr_t>(address) % alignof(T) != 0) {
    fail_argument("dlpack_array", message({"the elements, at byte_offset ", t.byte_offset,
                                           ", are not aligned to ", alignof(T), " bytes"})
                                      .c_str());
  }
  return t.data == nullptr ? nullptr : reinterpret_cast<T*>(address);
}

/// Describes the elements of a tensor of the right type and memory as a view.
/// Errors: extent_error and argument_error; no element is read.
template <class View>
View dlpack_view(const dlpack::tensor& t) {
  constexpr int rank = View::rank();
  require(rank == 0 || t.extents != nullptr, "dlpack_array", "the tensor's extents are null");
  extents<rank> sizes;
  extents<rank> strides;
  std::uint64_t step = 1;  // wraps if the elements are too many for require_data()
  for (int d = rank - 1; d >= 0; --d) {
    if (t.extents[d] < 0)
      fail_extents("dlpack_array", "extent of the tensor", t.extents[d], "<", "smallest", 0);
    sizes[d] = t.extents[d];
    strides[d] = t.strides == nullptr ? static_cast<index_t>(step) : t.strides[d];
    step *= static_cast<std::uint64_t>(t.extents[d]);
  }
  const View v(dlpack_data<typename View::element_type>(t),
               typename View::mapping_type(sizes, strides));
  require_data("dlpack_array", "the tensor", v);
  if (v.empty()) return v;
  // Negative strides that lead below address 0 wrap to addresses whose bytes overflow as well.
  const byte_span bytes = bytes_of(v);
  std::intptr_t end = 0;
  const bool overflows = __builtin_add_overflow(bytes.begin, bytes.last, &end) ||
                         __builtin_add_overflow(end, sizeof(typename View::value_type), &end);
  require(!overflows, "dlpack_array", "the tensor's extents and strides lead past all memory");
  return v;
}

}  // namespace detail

/// Hands an array or container over to another library: the tensor owns the elements until its
/// deleter is called. Handing over a view transfers no ownership; its elements must outlive the
/// tensor. Const elements are not marked, because DLPack 0.8 cannot express them;
/// to_dlpack_versioned() marks them.
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
  return detail::make_dlpack<dlpack::managed_tensor>(std::forward<X>(x), device);
}

/// Hands an array, container or view over as to_dlpack() does, in the form of DLPack 1.0. The
/// tensor of const elements is marked read-only.
///
/// @param x       as for to_dlpack()
/// @param device  as for to_dlpack()
/// Errors: std::bad_alloc.
///
/// Complexity  constant: no element is copied
template <viewable X>
dlpack::managed_tensor_versioned* to_dlpack_versioned(X&& x, int device = 0) {
  return detail::make_dlpack<dlpack::managed_tensor_versioned>(std::forward<X>(x), device);
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
  /// Errors: argument_error if its elements, rank or memory do not match the type, it has elements
  /// without memory, not aligned for T or outside all addresses, or its extents are null;
  /// extent_error for a negative extent, and 2^63 bytes or more. No element is read, and the caller
  /// still owns the tensor.
  ///
  /// Complexity  constant: no element is copied
  explicit dlpack_array(dlpack::managed_tensor* from)
      : view_(checked(from)), device_(number(from->tensor.device)), tensor_(from) {}

  /// Takes ownership of a tensor of DLPack 1.0. A Python extension then renames the capsule to
  /// "used_dltensor_versioned".
  /// Errors: those above; argument_error if the major version is not 1, or T is not const and the
  /// tensor is read-only. The caller may then call nothing but the deleter of another version.
  ///
  /// Complexity  constant: no element is copied
  explicit dlpack_array(dlpack::managed_tensor_versioned* from)
      : view_(checked(from)), device_(number(from->tensor.device)), versioned_(from) {}

  /// The number of the device that has the memory; 0 for host memory.
  int device() const { return device_; }
  /// The tensor's elements; none after a move.
  view_type view() const { return tensor_ || versioned_ ? view_ : view_type(); }

 private:
  static int number(const dlpack::device& device) {
    const bool is_host = !Memory::device_accessible || device.type == dlpack::device_type::cpu ||
                         device.type == dlpack::device_type::cuda_host;
    return is_host ? 0 : device.id;
  }

  static view_type checked(const dlpack::managed_tensor* from) {
    detail::require(from != nullptr, "dlpack_array", "the tensor is null");
    return checked(from->tensor);
  }

  static view_type checked(const dlpack::managed_tensor_versioned* from) {
    detail::require(from != nullptr, "dlpack_array", "the tensor is null");
    if (from->version.major != 1) {
      fail({"the tensor's version of DLPack is ", from->version.major, ".", from->version.minor,
            "; not 1"});
    }
    detail::require(std::is_const_v<T> || (from->flags & dlpack::read_only) == 0, "dlpack_array",
                    "the tensor is read-only: take it as const elements");
    return checked(from->tensor);
  }

  static view_type checked(const dlpack::tensor& t) {
    constexpr dlpack::data_type type = detail::dlpack_type<std::remove_const_t<T>>();
    if (t.rank != Rank) fail({"the tensor's rank is ", t.rank, ", not ", Rank});
    if (t.type != type) {
      fail({"the tensor's elements are ", detail::dlpack_text(t.type), "; not ",
            detail::dlpack_text(type)});
    }
    if (!detail::reaches_dlpack<Memory>(t.device.type)) {
      fail({"the tensor is in memory of another kind (device type ",
            static_cast<std::int32_t>(t.device.type), " of DLPack)"});
    }
    return detail::dlpack_view<view_type>(t);
  }

  [[noreturn]] static void fail(std::initializer_list<detail::message_part> parts) {
    detail::fail_argument("dlpack_array", detail::message(parts).c_str());
  }

  struct release {
    template <class Managed>
    void operator()(Managed* tensor) const {
      if (tensor->deleter != nullptr) tensor->deleter(tensor);
    }
  };

  view_type view_;
  int device_;
  std::unique_ptr<dlpack::managed_tensor, release> tensor_;
  std::unique_ptr<dlpack::managed_tensor_versioned, release> versioned_;
};

}  // namespace tandem

#pragma pop_macro("max")
#pragma pop_macro("min")
