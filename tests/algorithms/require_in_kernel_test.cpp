// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What errors of require_in_kernel say of the operations that call the kernel.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <string>
#include <vector>

#include <tandem/require_in_kernel.hpp>

using namespace tandem::test;

namespace {

struct term_below_nine {
  TANDEM_FUNCTION float operator()(int i) const {
    tandem::require_in_kernel(i < 9, "less than nine", i);
    return 1;
  }
};
struct term_of_grid_below_nine {
  TANDEM_FUNCTION float operator()(int, int i) const { return term_below_nine{}(i); }
};
struct one_term {
  TANDEM_FUNCTION float operator()(int) const { return 1; }
};
struct never {
  template <class T>
  TANDEM_FUNCTION bool operator()(T value) const {
    tandem::require_in_kernel(false, "nothing", value);
    return true;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("require_in_kernel: messages of other operations name them, and the index",
                   Backend, TANDEM_TEST_BACKENDS) {
  if constexpr (Backend::space::memory_type::host_accessible) {
    const auto space = Backend::make();
    const int n = 64;
    auto x = to_space(space, std::vector<float>(n, 1.0f));
    auto y = to_space(space, std::vector<float>(n, 0.0f));
    const auto place_of = [](const auto& f) {
      try {
        f();
      } catch (const tandem::requirement_error& e) {
        const std::string place = e.place();
        return place.substr(place.find(", in ") + 2);
      }
      return std::string();
    };
    const auto check = [&](const char* begin, const char* end, const auto& f) {
      const std::string place = place_of(f);
      CAPTURE(place);
      CHECK(place.find(begin) == 0);
      CHECK(place.find(end) != std::string::npos);
      CHECK(place.find("tandem::detail") == std::string::npos);
      CHECK(place.find(", in ") == std::string::npos);  // once
    };
    const term_below_nine term;
    const term_of_grid_below_nine of_grid;
    check("in parallel_reduce (kernel ",
          "term_below_nine), i = ", [&] { tandem::parallel_reduce(space, n, term); });
    check("in parallel_reduce (kernel ", "term_of_grid_below_nine), j = 3, i = 9", [&] {
      tandem::parallel_reduce(space, tandem::grid{{3, 4}, {5, 10}}, of_grid);
    });
    check("in parallel_scan (kernel ",
          "term_below_nine), i = ", [&] { tandem::parallel_scan(space, n, term, y); });
    check("in parallel_reduce_into (kernel ", "term_of_grid_below_nine), j = ", [&] {
      tandem::parallel_reduce_into(space, tandem::grid{n, n}, tandem::axis{1}, of_grid,
                                   tandem::sum{}, y);
    });
    check("in partial_reduce (kernel ", "term_below_nine), i = ", [&] {
      tandem::partial_reduce(space, tandem::range{0, n}, term, tandem::sum{});
    });
    check("in count_if (kernel ", "never), i = ", [&] { tandem::count_if(space, x, never()); });
    check("in copy_if", "copy_if", [&] { tandem::copy_if(space, x, y, never()); });
    check("in transform", "transform", [&] { tandem::transform(space, x, y, never()); });
    check("in parallel_reduce", "parallel_reduce", [&] {
      tandem::parallel_reduce(space, n, one_term(),
                              tandem::finished_reducer(tandem::sum{}, never()));
    });
  }
}
