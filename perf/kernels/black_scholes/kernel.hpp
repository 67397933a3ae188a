// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

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
/// parity of put and call. `years` is the time to expiry. Forced inline: otherwise g++ calls it and
/// the error function once per option in scalar code.
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

/// Prices of a list of options.
template <class Space>
struct black_scholes {
  static constexpr const char* name = "black_scholes";
  static constexpr const char* type = "f32";

  static inline const kernel_sizes sizes{{{1 << 18}, {1 << 20}, {1 << 22}}, {{1 << 26}}};
  static constexpr kernel_cost cost_each{.bytes = 5 * sizeof(float)};

  black_scholes(const Space& space, const kernel_size& size)
      : share(filled(space, size[0], values_between{1, 5, 30})),
        strike(filled(space, size[0], values_between{2, 1, 100})),
        years(filled(space, size[0], values_between{3, 0.25f, 10})),
        prices(extents<2>(2, size[0]), space) {}

  void reset(const Space& space) { tandem::fill(space, prices, 0.0f); }
  outcome result(const Space& space) { return summary(space, prices.view()); }

  void run(const Space& space) {
    const auto of_share = share.const_view();
    const auto of_strike = strike.const_view();
    const auto of_years = years.const_view();
    const auto out = prices.view();
    tandem::parallel_for(
        space, share.size(), TANDEM_LAMBDA(int i) {
          const option_prices both = price_option(of_share(i), of_strike(i), of_years(i));
          out(0, i) = both.call;
          out(1, i) = both.put;
        });
  }

  array<float, 1, Space> share;
  array<float, 1, Space> strike;
  array<float, 1, Space> years;
  array<float, 2, Space> prices;  ///< calls, puts
};

}  // namespace perf
