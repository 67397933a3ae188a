// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/random.hpp>
#include <tandem/algorithms/detail/run.hpp>
#include <tandem/core/contract/random_problem.hpp>
#include <tandem/core/contract/term_loaders.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Writes one block of a rank-1 view per index.
template <class Sampler>
struct random_blocks {
  static constexpr std::size_t element_bytes =
      sizeof(typename Sampler::value_type) * random_problem<Sampler>::block;

  random_problem<Sampler> line;
  bool is_aligned;

  TANDEM_FUNCTION void operator()(index_t b) const { line.write_block(b, is_aligned); }
};

/// Writes one element of a view of any layout per index.
template <class Sampler, class View>
struct random_elements {
  Sampler sampler{};
  std::uint64_t seed;
  View view;
  std::uint64_t first;

  TANDEM_FUNCTION void operator()(index_t i) const {
    view.data_handle()[flat_offset(view, i)] =
        sample_element(sampler, seed, first + static_cast<std::uint64_t>(i));
  }
};

/// Whether the elements are contiguous in row-major order.
template <class View>
bool is_row_major(const View& v) {
  index_t step = 1;
  for (int d = View::rank() - 1; d >= 0; --d) {
    if (v.extent(d) > 1 && v.stride(d) != step) return false;
    step *= v.extent(d);
  }
  return true;
}

template <class Space, class Sampler>
void fill_random_line(const Space& space, const char* label,
                      const random_problem<Sampler>& problem) {
  if constexpr (uses_hook<Space, hook::random>() && requires { dispatch_random(space, problem); }) {
    dispatch_random(space, problem);
  } else {
    constexpr index_t block = random_problem<Sampler>::block;
    dispatch_for(space, label, range{0, (problem.size - 1) / block + 1},
                 random_blocks<Sampler>{problem, problem.is_aligned()});
  }
}

/// Sets the elements of a view that is not const to the values of a distribution that draws them,
/// from element number `first` of the sequence on.
template <class Space, class View, class Distribution>
void fill_from(const Space& space, const View& to, const Distribution& distribution,
               std::uint64_t seed, std::uint64_t first = 0) {
  using T = typename View::value_type;
  using Sampler = decltype(make_sampler<T>("", distribution));
  Sampler sampler{};
  const auto check = [&] {
    sampler = make_sampler<T>("fill_random", distribution);
    return !to.empty();
  };
  const auto write = [&] {
    if (is_row_major(to) && first % random_problem<Sampler>::block == 0) {
      fill_random_line<Space, Sampler>(space, "fill_random",
                                       {sampler, seed, to.size(), to.data_handle(), first});
    } else {
      dispatch_for(space, "fill_random", range{0, to.size()},
                   random_elements<Sampler, View>{sampler, seed, to, first});
    }
  };
  run(space, call{"fill_random", profile_kind::loop, sizes_of(to), output{"x", to}, check, write});
}

}  // namespace detail

/// Sets every element of x, an operand of any rank and layout, to a random value.
///
/// @param x             element number i in row-major order is a function of (distribution, seed,
///                      i) alone, independent of extents, layout and memory: a window that begins
///                      at element 0 of a larger rank-1 view has the values of that view
/// @param distribution  random_bits and uniform_int<I> (integers), uniform, normal and exponential
///                      (float or double), bernoulli and poisson (any arithmetic type)
/// @param seed          the key of Philox4x32-10 (core/random/philox.hpp). Another seed gives
///                      another, independent array; one seed gives related arrays for different
///                      distributions
/// Errors               argument_error when a parameter is out of its range
///                      (core/random/distributions.hpp), when x has elements but no memory, memory
///                      that the space cannot access, or overlaps itself; x is unchanged then.
///                      Nothing to do for an x without elements
/// Agreement            the same bits on every backend, thread count and device
/// Complexity           a block of Philox per 4 words that are drawn, or per element if x is not
///                      row-major, and more if a distribution rejects; writes x once. No scratch
/// Asynchronous on `space`.
template <execution_space Space, viewable Destination, class Distribution>
void fill_random(const Space& space, Destination&& x, const Distribution& distribution,
                 std::uint64_t seed) {
  const auto to = as_view(std::forward<Destination>(x));
  using View = std::remove_const_t<decltype(to)>;
  using T = typename View::value_type;
  static_assert(detail::reaches<Space, View>,
                "tandem: fill_random: the space cannot reach the view's memory");
  static_assert(!std::is_const_v<typename View::element_type>,
                "tandem: fill_random: the elements are const");
  constexpr bool draws = detail::draws<Distribution, T>;
  static_assert(draws,
                "tandem: fill_random: the distribution does not draw elements of this type "
                "(core/random/distributions.hpp)");
  if constexpr (draws) detail::fill_from(space, to, distribution, seed);
}

/// Calls fill_random(space, x, distribution, seed) on the default space.
template <viewable Destination, class Distribution>
void fill_random(Destination&& x, const Distribution& distribution, std::uint64_t seed) {
  fill_random(detail::here(), std::forward<Destination>(x), distribution, seed);
}

/// The values that fill_random would write, for kernels to draw without an array: values(i) is
/// element i. Made by random_values<T>(distribution, seed).
template <class Sampler>
class random_sequence {
 public:
  using value_type = typename Sampler::value_type;

  random_sequence(const Sampler& sampler, std::uint64_t seed) : sampler_(sampler), seed_(seed) {}

  TANDEM_FUNCTION value_type operator()(std::uint64_t i) const {
    return detail::sample_element(sampler_, seed_, i);
  }

 private:
  Sampler sampler_;
  std::uint64_t seed_;
};

/// The random elements of type T of a distribution and a seed, as a function of their index that
/// kernels capture by value.
///
///   const auto x = tandem::random_values<float>(tandem::uniform{-1, 1}, 42);
///   tandem::parallel_reduce(space, n, TANDEM_LAMBDA(tandem::index_t i) { return x(i) * x(i); });
///
/// @param distribution, seed  as for fill_random
/// Errors                     argument_error when a parameter is out of its range
/// Agreement                  the same bits as fill_random's, on every backend
/// Complexity                 constant; a call of the function computes a block of Philox for one
///                            element, more if the distribution rejects or takes several words
template <class T, class Distribution>
auto random_values(const Distribution& distribution, std::uint64_t seed) {
  constexpr bool draws = detail::draws<Distribution, T>;
  static_assert(draws,
                "tandem: random_values: the distribution does not draw elements of this type "
                "(core/random/distributions.hpp)");
  if constexpr (draws)
    return random_sequence(detail::make_sampler<T>("random_values", distribution), seed);
}

}  // namespace tandem
