// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/checked/session.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <tandem/core/contract/environment.hpp>

namespace tandem::checked {

namespace {

std::uint64_t mix(std::uint64_t x) {  // SplitMix64's finaliser
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Primes above the size of a block: steps that reach every position of a block, whatever its size.
/// Modulo a whole block they are 1, 3, -3 and -1, so that caches and branch predictors work.
constexpr std::uint64_t steps[] = {193, 257, 449, 577, 67,  131, 643, 1091,
                                   317, 509, 701, 829, 127, 191, 383, 1087};

settings read_settings() {
  settings s{};
  const auto seed = detail::number_in_environment("TANDEM_CHECKED_SEED");
  const int order = detail::word_in_environment("TANDEM_CHECKED_ORDER", {"forward", "reverse"});
  const int report = detail::word_in_environment("TANDEM_CHECKED_REPORT", {"json", "quiet"});
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  s.seed = seed.value_or(mix(static_cast<std::uint64_t>(now)) % 1000000);
  s.order = order == 0 ? settings::forward : order == 1 ? settings::reverse : settings::seeded;
  s.is_json = report == 0;
  s.is_quiet = report == 1;
  return s;
}

index_t step_through(index_t n, index_t size, std::uint64_t step, std::uint64_t offset) {
  const auto places = static_cast<std::uint64_t>(size);
  const std::uint64_t at = static_cast<std::uint64_t>(n) * step + offset % places;
  return static_cast<index_t>(at <= 0xffffffffu && places <= 0xffffffffu
                                  ? static_cast<std::uint32_t>(at) %
                                        static_cast<std::uint32_t>(places)
                                  : at % places);
}

/// What a run of the program printed and returned.
struct outcome {
  std::string output;
  int status = 0;
};

/// Forks. The new process returns false and continues to main() with its output in a pipe, which
/// this process reads to the end.
bool run_apart(outcome& result) {
  int ends[2];
  if (pipe(ends) != 0) return true;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  close(ends[1]);
  char part[4096];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;)
    result.output.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  result.status = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return true;
}

/// TANDEM_CHECKED_ORDERS=k: runs the program under k orders, the last one reversed, and compares
/// the output of the runs. Runs before main(), while there are no other threads.
[[gnu::constructor]] void run_under_orders() {
  const std::uint64_t count = detail::number_in_environment("TANDEM_CHECKED_ORDERS").value_or(0);
  if (count < 2) return;
  unsetenv("TANDEM_CHECKED_ORDERS");
  read_settings();  // reports unknown ones here rather than in each run
  const std::uint64_t first_seed = detail::number_in_environment("TANDEM_CHECKED_SEED").value_or(1);
  outcome first;
  int status = 0;
  std::uint64_t differing = 0;
  for (std::uint64_t n = 0; n < count; ++n) {
    setenv("TANDEM_CHECKED_SEED", std::to_string(first_seed + n).c_str(), 1);
    if (n == count - 1) setenv("TANDEM_CHECKED_ORDER", "reverse", 1);
    outcome next;
    if (!run_apart(n == 0 ? first : next)) return;
    if (n == 0) {
      std::fwrite(first.output.data(), 1, first.output.size(), stdout);
      std::fflush(stdout);
    } else if (next.output != first.output) {
      ++differing;
    }
    status = std::max(status, n == 0 ? first.status : next.status);
  }
  std::fprintf(stderr, "tandem: %llu orders from seed %llu on: %llu of them print other results\n",
               static_cast<unsigned long long>(count), static_cast<unsigned long long>(first_seed),
               static_cast<unsigned long long>(differing));
  _exit(status != 0 ? status : differing > 0 ? 1 : 0);
}

}  // namespace

const settings& asked() {
  static const settings once = read_settings();
  return once;
}

std::uint64_t operation_state::salt(index_t of_team, index_t of_phase) const {
  return mix(asked().seed + mix(number + mix(static_cast<std::uint64_t>(of_team) +
                                             mix(static_cast<std::uint64_t>(of_phase) + 1))));
}

shuffled::shuffled(index_t count, std::uint64_t salt)
    : count_(count),
      last_((count - 1) / block),
      offset_(salt >> 8),
      factor_(steps[salt & 15]),
      order_(asked().order) {}

index_t shuffled::block_at(index_t b) const {
  if (b == last_ || last_ < 2) return b;
  // 15485863 is a prime; if it divides the number of blocks, they stay in order.
  const std::uint64_t step = last_ % 15485863 == 0 ? 1 : 15485863;
  return step_through(b, last_, step, offset_);
}

index_t shuffled::inside(index_t n, index_t size) const {
  return step_through(n, size, factor_, offset_);
}

namespace {

const actor_group* group_of(actor who) {
  const auto& all = operation.groups;
  const auto it = std::upper_bound(all.begin(), all.end(), who,
                                   [](actor a, const actor_group& g) { return a < g.first; });
  return it == all.begin() ? nullptr : &*std::prev(it);
}

index_t index_in_group(const actor_group& g, actor who) {
  const auto n = static_cast<index_t>((who - g.first) / actor_step);
  if (g.is == actor_group::iterations) return shuffled(g.phase, operation.salt(0, 0))(g.team + n);
  if (g.is != actor_group::lanes && g.is != actor_group::items) return -1;
  return shuffled(g.count, operation.salt(g.team, g.phase))(n);
}

std::string loop_text(index_t flat) {
  const char* const names[3][3] = {{"i", "", ""}, {"j", "i", ""}, {"k", "j", "i"}};
  std::string text;
  index_t at[3] = {};
  for (int d = operation.rank - 1; d >= 0; --d) {
    at[d] = operation.begin[d] + (d > 0 ? flat % operation.sizes[d] : flat);
    flat /= operation.sizes[d];
  }
  for (int d = 0; d < operation.rank; ++d) {
    text += std::string(d > 0 ? ", " : "") + names[operation.rank - 1][d] + " = " +
            std::to_string(at[d]);
  }
  return text;
}

/// Returns " (1, 3)", the indices of number `n` in an array of these extents.
std::string indices_text(int rank, const index_t* sizes, index_t n) {
  std::string text;
  for (int d = rank - 1; d >= 0; --d) {
    text = std::to_string(d > 0 ? n % sizes[d] : n) + (text.empty() ? "" : ", ") + text;
    if (d > 0) n /= sizes[d];
  }
  return " (" + text + ")";
}

/// Returns "lane 7", or "lane 7 (1, 3)" if there are several dimensions.
std::string item_text(const actor_group& g, index_t at) {
  const team_extents& e = operation.extents;
  const index_t matrix[2] = {0, g.columns};
  if (g.is == actor_group::items)
    return "item " + std::to_string(at) + (g.columns > 0 ? indices_text(2, matrix, at) : "");
  return "lane " + std::to_string(at) + (e.rank > 1 ? indices_text(e.rank, e.lanes, at) : "");
}

}  // namespace

index_t lane_of(actor who) {
  const actor_group* const g = group_of(who);
  if (g == nullptr) return -1;
  const index_t at = index_in_group(*g, who);
  return g->is == actor_group::items ? at % operation.lanes : at;
}

std::string actor_text(actor who) {
  const actor_group* const g = group_of(who);
  if (g == nullptr) return "an earlier one";
  const index_t at = index_in_group(*g, who);
  if (g->is == actor_group::iterations) return loop_text(at);
  if (g->is == actor_group::whole) return "the operation";
  if (g->is == actor_group::after) return "the finishing function";
  const team_extents& e = operation.extents;
  const std::string team = "team " + std::to_string(g->team) +
                           (e.rank > 1 ? indices_text(e.rank, e.teams, g->team) : "");
  const std::string phase = std::to_string(g->phase + 1);
  if (g->is == actor_group::between) return team + ", before phase " + phase;
  return team + ", " + item_text(*g, at) + ", phase " + phase;
}

}  // namespace tandem::checked
