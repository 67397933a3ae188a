// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

#include <type_traits>

namespace perf {

/// The problem of sorting n keys of T in ascending order.
template <class T>
problem sort_problem(index_t n);
/// The problem of sorting n keys, each with a value of 4 bytes.
problem sort_by_key_problem(index_t n);
/// The problem of keeping the first element of each run of equal ones; runs average two elements.
problem unique_problem(index_t n);
/// The problem of keeping the positive ones of n floats, about half of them.
problem copy_if_problem(index_t n);

inline constexpr std::uint64_t keys_seed = 6;

/// Integers over their whole range, floats of either sign.
template <class T>
struct key_values {
  std::uint64_t seed;

  TANDEM_FUNCTION T operator()(index_t i) const {
    if constexpr (std::is_floating_point_v<T>) {
      return uniform_values<T>{seed}(i);
    } else {
      return static_cast<T>(mixed_bits(seed + static_cast<std::uint64_t>(i)));
    }
  }
};

/// 0 or 1, so that an element equals its predecessor half of the time.
struct coin_values {
  std::uint64_t seed;

  TANDEM_FUNCTION std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(mixed_bits(seed + static_cast<std::uint64_t>(i)) >> 63);
  }
};

/// The position of each element.
struct position_values {
  TANDEM_FUNCTION std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(i);
  }
};

/// The predicate of copy_if.
struct is_positive {
  TANDEM_FUNCTION bool operator()(float v) const { return v > 0.0f; }
};

/// An input and an output.
template <class Space, class T>
struct line_data {
  template <class Values>
  line_data(index_t n, const Values& values) : x(*space, n, 2), out(*space, n, 2) {
    x.fill(*space, values);
    tandem::fill(*space, count, 0);
    space->fence();
  }
  tandem::view<const T, 1, tandem::layout_right, typename Space::memory_type> input(index_t round) {
    return x.set(round);
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<T, Space> x;
  rotating_array<T, Space> out;
  array<index_t, 0, Space> count{extents<0>(), *space};
};

/// Keys in rotating sets, each with a value beside it.
template <class Space>
struct pair_data : line_data<Space, std::uint32_t> {
  explicit pair_data(index_t n)
      : line_data<Space, std::uint32_t>(n, key_values<std::uint32_t>{keys_seed}),
        values(*this->space, n, 2),
        values_out(*this->space, n, 2) {
    values.fill(*this->space, position_values{});
  }
  tandem::view<const std::uint32_t, 1, tandem::layout_right, typename Space::memory_type>
  input_values(index_t round) {
    return values.set(round);
  }

  rotating_array<std::uint32_t, Space> values;
  rotating_array<std::uint32_t, Space> values_out;
};

/// Outcome of sorted keys in a space's memory.
template <class Data>
outcome sorted_outcome(Data& data) {
  return summary(*data.space, data.out.set(0));
}

/// Outcome of sorted keys and values in a space's memory.
template <class Space>
outcome pairs_outcome(pair_data<Space>& data) {
  const outcome keys = summary(*data.space, data.out.set(0));
  const outcome values = summary(*data.space, data.values_out.set(0));
  return {keys.bits * 31 + values.bits, keys.value + values.value};
}

/// Outcome of a selection: the number of elements kept, and the hash of them.
template <class Data>
outcome selected_outcome(Data& data) {
  const index_t count = on_the_host(*data.space, data.count.view())[0];
  const auto out = on_the_host(*data.space, data.out.set(0));
  const outcome kept = summary_of(out.data(), count);
  return {kept.bits * 31 + static_cast<std::uint64_t>(count), kept.value};
}

template <class Space, class T>
candidate resident_sort(index_t n) {
  auto data = std::make_shared<line_data<Space, T>>(n, key_values<T>{keys_seed});
  return resident(
      data->space,
      [=](std::int64_t round) {
        tandem::sort(*data->space, data->input(round), data->out.set(round));
      },
      [=] { return sorted_outcome(*data); });
}

template <class Space>
candidate resident_sort_by_key(index_t n) {
  auto data = std::make_shared<pair_data<Space>>(n);
  return resident(
      data->space,
      [=](std::int64_t round) {
        tandem::sort_by_key(*data->space, data->input(round), data->input_values(round),
                            data->out.set(round), data->values_out.set(round));
      },
      [=] { return pairs_outcome(*data); });
}

template <class Space>
candidate resident_unique(index_t n) {
  auto data = std::make_shared<line_data<Space, std::uint32_t>>(n, coin_values{keys_seed});
  return resident(
      data->space,
      [=](std::int64_t round) {
        tandem::unique_into(*data->space, data->input(round), data->out.set(round),
                            data->count.view());
      },
      [=] { return selected_outcome(*data); });
}

template <class Space>
candidate resident_copy_if(index_t n) {
  auto data = std::make_shared<line_data<Space, float>>(n, uniform_values<float>{keys_seed});
  return resident(
      data->space,
      [=](std::int64_t round) {
        tandem::copy_if_into(*data->space, data->input(round), data->out.set(round), is_positive{},
                             data->count.view());
      },
      [=] { return selected_outcome(*data); });
}

}  // namespace perf
