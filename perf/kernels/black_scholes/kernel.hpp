// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <type_traits>

namespace perf {

/// Interest and volatility of the market, per year.
inline constexpr float option_rate = 0.02f;
inline constexpr float option_volatility = 0.30f;

/// Prices of a European call and of the put at the same strike.
struct option_prices {
  float call;
  float put;
};

/// Prices by the formula of Black and Scholes (1973) for a share without dividends; the put by the
/// parity of put and call. `years` is the time to expiry. Inlined by force: g++ otherwise calls it,
/// and calls the error function, once per option in scalar code.
[[gnu::always_inline]] TANDEM_FUNCTION inline option_prices price_option(float share, float strike,
                                                                         float years) {
  constexpr float drift = option_rate + 0.5f * option_volatility * option_volatility;
  constexpr float root_half = 0.70710678f;
  const float deviation = option_volatility * tandem::sqrt(years);
  const float d1 = (tandem::log(share / strike) + drift * years) / deviation;
  const float d2 = d1 - deviation;
  const float share_held = 0.5f * tandem::erfc(-d1 * root_half);
  const float strike_paid = 0.5f * tandem::erfc(-d2 * root_half);
  const float discounted = strike * tandem::exp(-option_rate * years);
  const float call = share * share_held - discounted * strike_paid;
  return {call, call + discounted - share};
}

/// Element e of a word; a float is a word of one.
TANDEM_FUNCTION inline float& element(float& word, std::size_t) { return word; }
template <std::size_t Width>
TANDEM_FUNCTION float& element(float_word<Width>& word, std::size_t e) {
  return word.element[e];
}

/// Prices of a list of options, whose number is a multiple of four: on a GPU an index has four, which
/// it loads and stores as words, on a CPU one, since its compiler makes vectors of neighbours.
template <class Space>
struct black_scholes {
  static constexpr const char* name = "black_scholes";
  static constexpr const char* type = "f32";
  static constexpr std::size_t width = Space::memory_type::host_accessible ? 1 : 4;
  using word = std::conditional_t<width == 1, float, float_word<width>>;

  static std::vector<kernel_size> sizes(const settings& chosen) {
    return sizes_of<Space>(chosen, {1 << 18}, {1 << 22}, {1 << 26});
  }
  static kernel_cost cost(const kernel_size& size) {
    return {.bytes = 5 * sizeof(float) * static_cast<double>(size[0])};
  }

  black_scholes(const Space& space, const kernel_size& size)
      : share(filled(space, size[0], values_between{1, 5, 30})),
        strike(filled(space, size[0], values_between{2, 1, 100})),
        years(filled(space, size[0], values_between{3, 0.25f, 10})),
        prices(tandem::extents<2>(2, size[0]), space) {}

  void reset(const Space& space) { tandem::fill(space, prices, 0.0f); }
  outcome result(const Space& space) { return summary(space, prices.view()); }

  void run(const Space& space) {
    using memory = typename Space::memory_type;
    const tandem::index_t words = share.size() / tandem::index_t{width};
    const auto words_of = [=](const auto& x) {
      return tandem::as_view<memory>(reinterpret_cast<const word*>(x.data_handle()), words);
    };
    const auto of_share = words_of(share);
    const auto of_strike = words_of(strike);
    const auto of_years = words_of(years);
    const auto out =
        tandem::as_view<memory>(reinterpret_cast<word*>(prices.data_handle()), 2, words);
    tandem::parallel_for(
        space, words, TANDEM_LAMBDA(int i) {
          word s = of_share(i);
          word k = of_strike(i);
          word t = of_years(i);
          word call;
          word put;
          for (std::size_t e = 0; e < width; ++e) {
            const option_prices both = price_option(element(s, e), element(k, e), element(t, e));
            element(call, e) = both.call;
            element(put, e) = both.put;
          }
          out(0, i) = call;
          out(1, i) = put;
        });
  }

  tandem::array<float, 1, Space> share;
  tandem::array<float, 1, Space> strike;
  tandem::array<float, 1, Space> years;
  tandem::array<float, 2, Space> prices;  ///< calls, puts
};

}  // namespace perf
