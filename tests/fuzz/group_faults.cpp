// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of which a member fails at some call or allocation: the error names it, and the operation
// has its result when the member works again.

#include "distributed/faulty_space.hpp"
#include "fuzz/groups.hpp"

namespace tandem::fuzz {
namespace {

using test::fault;
using test::faulty_space;

constexpr index_t most = index_t{1} << 14;

struct is_positive {
  TANDEM_FUNCTION bool operator()(float x) const { return x > 0; }
};

/// The operands of one case and its operation, which returns what it computes.
struct drawn_operation {
  std::vector<float> elements;
  std::vector<index_t> offsets;
  cut rows;
  cut other;
  int which;

  std::vector<float> operator()(const group<faulty_space>& members) const {
    const auto n = static_cast<index_t>(elements.size());
    sharded<float, 1, faulty_space> x(extents<1>(n), members, rows, halo{n > 0 ? 1 : 0});
    sharded<float, 1, faulty_space> y(extents<1>(n), 0.0f, members, rows);
    sharded<float, 1, faulty_space> z(extents<1>(n), 0.0f, members, other);
    copy(members, elements, x);
    switch (which) {
      case 0:
        return {parallel_reduce(members, x)};
      case 1:
        parallel_scan(members, x, y);
        break;
      case 2:
        sort(members, x, y);
        break;
      case 3:
        (void)copy_if(members, x, z, is_positive{});
        break;
      case 4:
        copy(members, x, z);
        break;
      case 5:
        segmented_scan(members, x, offsets, y);
        break;
      case 6:
        exchange(members, x);
        break;
      default:
        reverse(members, x, y);
        break;
    }
    std::vector<float> found = to_vector(members, y);
    const std::vector<float> moved = to_vector(members, z);
    found.insert(found.end(), moved.begin(), moved.end());
    return found;
  }
};

struct lost_member {
  template <class Space>
  bool operator()(draw& d, const Space&) const {
    const index_t n = d.size("n", most, sizeof(float));
    const auto parts = static_cast<int>(d.number("members", 2, 7));
    const auto failing = static_cast<int>(d.number("failing", 0, parts - 1));
    drawn_operation operation{draw_elements<float>(d, n),
                              {0, d.number("offset", 0, n), n},
                              draw_cut(d, "cut", n, parts),
                              draw_cut(d, "other", n, parts),
                              0};
    std::sort(operation.offsets.begin(), operation.offsets.end());
    operation.which = d.pick("operation", {"reduce", "scan", "sort", "copy_if", "copy",
                                           "segmented_scan", "exchange", "reverse"});
    fault plan;
    std::vector<faulty_space> spaces;
    for (int p = 0; p < parts; ++p) spaces.emplace_back(p == failing ? &plan : nullptr);
    const group<faulty_space> members(std::move(spaces));
    const std::vector<float> expected = operation(members);
    const bool is_memory = d.pick("fault", {"device", "memory"}) == 1;
    plan = {.first = static_cast<int>(d.number("first", 0, 80)),
            .what = is_memory ? fault::kind::memory : fault::kind::device};
    std::string said;
    try {
      require_elements(operation(members), expected);
    } catch (const out_of_memory_error& e) {
      if (is_memory) said = e.what();
    } catch (const device_error& e) {
      if (!is_memory) said = e.what();
    }
    const std::string member =
        "(member " + std::to_string(failing) + " of " + std::to_string(parts) + ")";
    if (plan.has_happened() && said.find(member) == std::string::npos)
      throw mismatch("'" + said + "', without " + member);
    plan.first = fault::never;
    require_elements(operation(members), expected);
    return true;
  }
};

const registered all[] = {{"group-faults", on_a_space<lost_member>}};

}  // namespace
}  // namespace tandem::fuzz
