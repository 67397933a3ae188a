// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/runtime/resource.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace tandem::openmp_impl {

/// The payload of keys without values.
struct no_payload {};

/// Ranks of keys in memory and the payloads that move with them: values, or positions of values.
template <class Word, class Payload>
struct key_value_span {
  static constexpr bool has_payload = !std::is_same_v<Payload, no_payload>;
  using word = Word;
  using payload_type = Payload;

  Word* ranks = nullptr;
  Payload* payloads = nullptr;

  Word rank(index_t i) const { return ranks[i]; }
  Payload payload(index_t i) const {
    if constexpr (has_payload) return payloads[i];
    return Payload{};
  }
  /// Returns the elements from `first` on.
  key_value_span from(index_t first) const {
    if constexpr (has_payload) return {ranks + first, payloads + first};
    return {ranks + first, nullptr};
  }
  void set(index_t i, Word rank, [[maybe_unused]] Payload payload) const {
    ranks[i] = rank;
    if constexpr (has_payload) payloads[i] = payload;
  }
  /// Assigns other[at] to element `to`.
  template <class Source>
  void take(index_t to, const Source& other, index_t at) const {
    set(to, other.rank(at), other.payload(at));
  }
  /// Copies n elements of another span to this one.
  void copy(const key_value_span& other, index_t n) const {
    std::memcpy(ranks, other.ranks, static_cast<std::size_t>(n) * sizeof(Word));
    if constexpr (has_payload)
      std::memcpy(payloads, other.payloads, static_cast<std::size_t>(n) * sizeof(Payload));
  }
};

/// Uninitialised scratch of a sort: in huge pages and touched in parallel if it is large.
template <class T>
class sort_scratch {
 public:
  sort_scratch(int threads, index_t count)
      : resource_(threads),
        bytes_(static_cast<std::size_t>(count) * sizeof(T)),
        data_(static_cast<T*>(resource_.allocate(bytes_))) {}
  sort_scratch(const sort_scratch&) = delete;
  sort_scratch& operator=(const sort_scratch&) = delete;
  ~sort_scratch() { resource_.deallocate(data_, bytes_); }

  T* data() const { return data_; }
  T& operator[](index_t i) const { return data_[i]; }

 private:
  openmp_resource resource_;
  std::size_t bytes_;
  T* data_;
};

}  // namespace tandem::openmp_impl
