// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/placed.hpp"

/// Groups and cuts as cases draw them.
namespace tandem::fuzz {

/// A group of streams of the space, or of copies of it.
template <class Space>
group<Space> draw_group(draw& d, const Space& space) {
  const index_t count = d.number("members", 1, d.one_in("many", 8) ? 40 : 7);
  std::vector<Space> members;
  for (index_t p = 0; p < count; ++p) members.push_back(second_stream(space));
  return group<Space>(std::move(members));
}

/// Cuts rows evenly, or anywhere, with parts that may be empty.
inline cut draw_cut(draw& d, const std::string& name, index_t rows, int parts) {
  if (d.pick(name, {"even", "anywhere"}) == 0) return cut::even(rows, parts);
  std::vector<index_t> bounds{0, rows};
  for (int p = 1; p < parts; ++p) bounds.push_back(d.number(name + std::to_string(p), 0, rows));
  std::sort(bounds.begin(), bounds.end());
  std::vector<index_t> sizes;
  for (std::size_t p = 1; p < bounds.size(); ++p) sizes.push_back(bounds[p] - bounds[p - 1]);
  return cut::of(sizes);
}

template <class T>
std::vector<T> draw_elements(draw& d, index_t n, const std::string& name = "values") {
  const auto values = draw_values(d, name);
  std::vector<T> list;
  for (index_t i = 0; i < n; ++i)
    list.push_back(values.template at<T>(static_cast<std::uint64_t>(i)));
  return list;
}

template <class T>
void require_elements(const std::vector<T>& found, const std::vector<T>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!same(found[i], expected[i])) {
      throw mismatch("element " + std::to_string(i) + " is " + shown(found[i]) + ", not " +
                     shown(expected[i]));
    }
  }
}

}  // namespace tandem::fuzz
