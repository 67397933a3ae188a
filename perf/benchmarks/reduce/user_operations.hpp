// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>
#include <perf/support/host_peers.hpp>

#include <omp.h>

namespace perf {

/// User-defined reductions of doubles: an operand per index, an operation and its identity.
/// number() makes one number of a result, for comparison.
struct user_abs_sum {
  static constexpr const char* name = "user_abs_sum";
  static constexpr index_t numbers = 1;  // doubles per operand
  using value = double;
  static constexpr value identity = -0.0;

  const double* x;
  TANDEM_FUNCTION value operator()(int i) const { return x[i] < 0 ? -x[i] : x[i]; }
  struct operation {
    TANDEM_FUNCTION value operator()(value a, value b) const { return a + b; }
  };
  static double number(value a) { return a; }
};

/// Sums of three coordinates that lie side by side.
struct three_sums {
  static constexpr const char* name = "three_sums";
  static constexpr index_t numbers = 3;
  struct value {
    double x, y, z;
  };
  static constexpr value identity = {-0.0, -0.0, -0.0};

  const double* x;
  TANDEM_FUNCTION value operator()(int i) const { return {x[3 * i], x[3 * i + 1], x[3 * i + 2]}; }
  struct operation {
    TANDEM_FUNCTION value operator()(value a, value b) const {
      return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
  };
  static double number(value a) { return a.x + a.y + a.z; }
};

/// Count, mean and sum of squared deviations, joined by Welford's and Chan's formulas.
struct welford_variance {
  static constexpr const char* name = "welford";
  static constexpr index_t numbers = 1;
  struct value {
    double count, mean, squares;
  };
  static constexpr value identity = {0, 0, 0};

  const double* x;
  TANDEM_FUNCTION value operator()(int i) const { return {1, x[i], 0}; }
  struct operation {
    TANDEM_FUNCTION value operator()(value a, value b) const {
      const double count = a.count + b.count;
      const double share = b.count / count;
      const double apart = b.mean - a.mean;
      return {count, a.mean + apart * share,
              a.squares + b.squares + apart * apart * a.count * share};
    }
  };
  static double number(value a) { return a.squares / a.count; }
};

inline constexpr index_t user_count = 100'000;

template <class User>
struct user_data {
  rotating_array<double, openmp> x{openmp(), user_count* User::numbers, 1};

  user_data() { x.fill(openmp(), uniform_values<double>{1}); }
};

template <class User, class Space>
candidate user_by_tandem() {
  auto data = std::make_shared<user_data<User>>();
  auto result = std::make_shared<typename User::value>();
  return on_host(
      [=](std::int64_t round) {
        const User operand{data->x.set(round).data_handle()};
        *result = tandem::parallel_reduce(
            Space(), user_count, operand,
            tandem::commutative_reduction(typename User::operation{}, User::identity));
      },
      [=] { return summary_of(User::number(*result)); });
}

/// A scalar fold per thread and a join of the results, as frameworks reduce whose loop body updates
/// a reference (Kokkos's OpenMP backend), for machines without one.
template <class User>
typename User::value fold_by_threads(const User operand, index_t n) {
  const typename User::operation join;
  typename User::value total = User::identity;
  bool begun = false;
#pragma omp parallel
  {
    const index_t threads = omp_get_num_threads();
    const index_t me = omp_get_thread_num();
    const auto begin = static_cast<int>(n * me / threads);
    const auto end = static_cast<int>(n * (me + 1) / threads);
    if (begin < end) {
      typename User::value mine = operand(begin);
      for (int i = begin + 1; i < end; ++i) mine = join(mine, operand(i));
#pragma omp critical
      {
        total = begun ? join(total, mine) : mine;
        begun = true;
      }
    }
  }
  return total;
}

template <class User>
typename User::value fold_by_kokkos(const User operand, index_t n) {
  using value = typename User::value;
  const auto join = [](value& total, const value& other) {
    total = typename User::operation{}(total, other);
  };
  return kokkos_reduce(
      n, User::identity,
      [=](value& total, index_t i) { join(total, operand(static_cast<int>(i))); }, join);
}

/// Makes a candidate of a peer's fold(operand, n).
template <class User, class Fold>
candidate user_by(const Fold& fold) {
  auto data = std::make_shared<user_data<User>>();
  auto result = std::make_shared<typename User::value>();
  return on_host(
      [=](std::int64_t round) {
        *result = fold(User{data->x.set(round).data_handle()}, user_count);
      },
      [=] { return summary_of(User::number(*result)); });
}

template <class User>
void list_user(lineup& add) {
  problem solved{"reduce", User::name, "f64", std::to_string(user_count)};
  solved.elements = static_cast<double>(user_count);
  solved.bytes = 8.0 * static_cast<double>(User::numbers) * solved.elements;
  // Operands are at most 1: an error of n u for pairwise sums, and as much again for each long
  // chain.
  solved.expected = [] {
    return reference{user_by_tandem<User, serial>().check(),
                     1e-11 * static_cast<double>(user_count), "serial"};
  };
  add(tandem_on_cpu(solved, "openmp", [] { return user_by_tandem<User, openmp>(); }));
  add(peer(solved, "openmp", "raw", [] { return user_by<User>(fold_by_threads<User>); }));
  if (kokkos_present) {
    add(peer(solved, "openmp", "kokkos", [] { return user_by<User>(fold_by_kokkos<User>); }));
  }
}

}  // namespace perf
