// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

#include <type_traits>

namespace perf {

/// Whether a prefix sum includes the element at its own position.
enum class scan_kind { inclusive, exclusive };

/// The problem of n prefix sums of T: float, double, or an integer of as many bytes.
template <class T>
problem scan_problem(index_t n, scan_kind kind = scan_kind::inclusive);

inline constexpr std::uint64_t scan_seed = 4;

/// Floats of either sign, since prefix sums of positive floats outgrow the elements; integers whose
/// sums wrap around.
template <class T>
using scan_values =
    std::conditional_t<std::is_floating_point_v<T>, uniform_values<T>, integer_values<T>>;

/// The data of a candidate.
template <class Space, class T>
struct scan_data {
  using value_type = T;
  using input = tandem::view<const T, 1, tandem::layout_right, typename Space::memory_type>;

  explicit scan_data(index_t n) : x(*space, n, 2), y(*space, n, 2) {
    x.fill(*space, scan_values<T>{scan_seed});
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<T, Space> x;
  rotating_array<T, Space> y;
};

/// Outcome of prefix sums on the host: the hash of all bits, and the last sum, which depends on
/// every element.
template <class T>
outcome scan_outcome(const T* y, index_t n) {
  return {fingerprint(y, static_cast<std::size_t>(n) * sizeof(T)), static_cast<double>(y[n - 1])};
}

/// Outcome of prefix sums in a space's memory, copied to the host.
template <class Space, class View>
outcome scan_result(const Space& space, const View& y) {
  const auto elements = on_the_host(space, y);
  return scan_outcome(elements.data(), y.size());
}

/// tandem's prefix sums.
struct scan_by_tandem {
  scan_kind kind = scan_kind::inclusive;

  template <class Data>
  void operator()(Data& data, index_t round) const {
    using T = typename Data::value_type;
    const typename Data::input x = data.x.set(round);
    const auto y = data.y.set(round);
    if (kind == scan_kind::inclusive) {
      tandem::parallel_scan(*data.space, x, y, tandem::sum<T>{});
    } else {
      tandem::parallel_scan(*data.space, x, y, tandem::sum<T>{}, tandem::exclusive<T>{T{}});
    }
  }
};

/// Makes a candidate that calls scan(data, round).
template <class Data, class Scan>
candidate on_scan_data(const std::shared_ptr<Data>& data, const Scan& scan) {
  return resident(
      data->space, [=](std::int64_t round) { scan(*data, round); },
      [=] { return scan_result(*data->space, data->y.set(0)); });
}

template <class Space, class T>
candidate resident_scan(index_t n, scan_kind kind = scan_kind::inclusive) {
  return on_scan_data(std::make_shared<scan_data<Space, T>>(n), scan_by_tandem{kind});
}

}  // namespace perf
