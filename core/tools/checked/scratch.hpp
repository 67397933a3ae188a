// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/tools/checked/ranges.hpp>
#include <tandem/core/tools/checked/session.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem::checked {

/// The memory of the teams: scratch, whose arrays have gaps between them, and the values that lanes
/// keep.
class scratch_block {
 public:
  explicit scratch_block(const team_memory& m);
  scratch_block(const scratch_block&) = delete;
  scratch_block& operator=(const scratch_block&) = delete;
  ~scratch_block();

  void* team_scratch() const { return team_scratch_; }

  /// Prepares for the next team: nothing is allocated, and nothing has a value.
  void begin_team();

  void* take(element_type type, index_t count);

 private:
  void* append(element_type type, index_t count, std::size_t bytes);

  /// Forgets the arrays from number `first` on: a team allocates other ones than the previous team.
  void give_up(std::size_t first);

  void forbid_rest(std::size_t offset);

  std::size_t room_;
  std::size_t kept_;
  std::uintptr_t begin_ = 0;
  std::uintptr_t rest_begin_ = 0;
  void* team_scratch_ = nullptr;
  std::vector<range> arrays_;
  std::size_t taken_ = 0;
};

}  // namespace tandem::checked
