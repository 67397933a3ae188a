// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of reductions and scans of segments and of runs of keys in one memory: refused if they
// share a byte, accepted otherwise.

#include "fuzz/overlapping.hpp"

namespace tandem::fuzz {
namespace {

/// Segments whose offsets are whatever the memory holds: a checked build would refuse those.
struct segments {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    if (TANDEM_CHECKED > 0) return true;
    using memory = typename Space::memory_type;
    const auto sizes = small_extents<1>(d);
    const index_t count = d.number("segments", 0, 20);
    const auto x = draw_operand<float, 1>(d, "x", sizes);
    const auto offsets = draw_operand<std::int8_t, 1>(d, "offsets", extents<1>(count + 1));
    if (d.one_in("scan", 2)) {
      const auto y = d.one_in("same", 6) ? x : draw_operand<float, 1>(d, "y", sizes);
      const bool bad = repeats(y) || share(offsets, y) || (!is(x, y) && share(x, y));
      return judge(space, bad, [&](std::byte* at) {
        segmented_scan(space, x.in<memory>(at), offsets.in<memory>(at), y.in<memory>(at));
      });
    }
    const auto out = draw_operand<float, 1>(d, "out", extents<1>(count));
    return judge(space, repeats(out) || share(offsets, out) || share(x, out), [&](std::byte* at) {
      segmented_reduce(space, x.in<memory>(at), offsets.in<memory>(at), out.in<memory>(at));
    });
  }
};

struct runs_of_keys {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto sizes = small_extents<1>(d);
    const extents<1> room(d.number("room", 0, 40));
    const auto keys = draw_operand<std::int32_t, 1>(d, "keys", sizes);
    const auto values = draw_operand<float, 1>(d, "values", sizes);
    const auto keys_out = draw_operand<std::int32_t, 1>(d, "keys_out", room);
    const auto out = draw_operand<float, 1>(d, "out", room);
    const bool bad = repeats(keys_out) || repeats(out) || share(keys, keys_out) ||
                     share(values, keys_out) || share(keys, out) || share(values, out) ||
                     share(keys_out, out);
    return judge(space, bad, [&](std::byte* at) {
      reduce_by_key(space, keys.in<memory>(at), values.in<memory>(at), keys_out.in<memory>(at),
                    out.in<memory>(at), sum<float>{});
    });
  }
};

const registered all[] = {
    {"overlap-segments", on_a_space<segments>},
    {"overlap-runs", on_a_space<runs_of_keys>},
};

}  // namespace
}  // namespace tandem::fuzz
