// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/errors.hpp>
#include <tandem/core/memory/host_memory.hpp>
#include <tandem/core/tools/checked/access.hpp>
#include <tandem/core/tools/checked/ranges.hpp>

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

namespace tandem::checked {

operation_state operation;

std::recursive_mutex& runtime_lock() {
  static auto* const one = new std::recursive_mutex;  // outlives the arrays of static storage
  return *one;
}

namespace {

actor next_actor = actor_step;

std::uintptr_t stack_begin() {
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(begin);
}

actor take_actors(index_t count) {
  const actor first = next_actor;
  next_actor += actor_step * static_cast<actor>(count);
  return first;
}

/// Makes room for the numbers of further actors; forgets earlier ones if there is none.
void require_actors(index_t count) {
  if (count < static_cast<index_t>((last_actor - next_actor) / actor_step) - 2) return;
  forget_all();
  next_actor = actor_step;
}

void turn_on() {
  current.is = mode::on;
  current.update();
}

void turn_off() {
  current.is = mode::off;
  current.update();
  current.watch_host_reads();
}

/// The period in which an operation runs.
class running {
 public:
  running(const kernel& what, const void* frame) {
    require_host_code(what.operation);
    guard_ = std::unique_lock(runtime_lock());
    count_operation();
    operation.what = what;
    ++operation.number;
    operation.groups.clear();
    forget_seconds();
    forget_team_atomics();
    current.may_write = what.allowed != effects::none;
    current.may_update = what.allowed == effects::all;
    current.stack_begin = stack_begin();
    current.stack_bytes = reinterpret_cast<std::uintptr_t>(frame) - current.stack_begin;
    keep_uncached(current.stack_begin, current.stack_bytes);
    current.team_begin = UINTPTR_MAX;
    current.has_local_writes = false;
    current.first_depth = depth;
    current.captured_begin = reinterpret_cast<std::uintptr_t>(what.captured);
    current.captured_bytes = what.captured_bytes;
  }
  running(const running&) = delete;
  running& operator=(const running&) = delete;
  ~running() {
    if (current.is == mode::pending) finish_pending();
    turn_off();
  }

 private:
  std::unique_lock<std::recursive_mutex> guard_;
  fault_watch watch_;
};

inline void end_iteration() {
  if (current.is == mode::pending) [[unlikely]]
    finish_pending();
  if (current.has_finding) [[unlikely]] {
    turn_off();
    throw_finding();
  }
}

void add_group(actor_group::kind kind, index_t count) {
  if (current.operation_first() != 0) require_actors(count);
  operation.groups.push_back({take_actors(count), kind, operation.team, operation.phase, count});
}

/// The memory of the teams: scratch, whose arrays have gaps between them, and the values that lanes
/// keep.
class scratch_block {
 public:
  explicit scratch_block(const team_memory& m)
      : room_(page_end(2 * m.scratch_bytes + far_arrays * (gap + m.scratch_bytes))),
        kept_(page_end(m.kept_bytes + 1)) {
    void* const p = mmap(nullptr, room_ + kept_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) detail::fail_host_memory("parallel_teams", room_ + kept_);
    begin_ = reinterpret_cast<std::uintptr_t>(p);
    team_scratch_ = reinterpret_cast<void*>(begin_ + room_ - m.kept_begin);
    current.kept_begin = begin_ + room_;
    current.kept_bytes = kept_;
    forbid_rest(0);
  }
  scratch_block(const scratch_block&) = delete;
  scratch_block& operator=(const scratch_block&) = delete;
  ~scratch_block() {
    for (const auto& a : arrays_) remove_range(a.outer_begin);
    remove_range(rest_begin_);
    current.kept_bytes = 0;
    munmap(reinterpret_cast<void*>(begin_), room_ + kept_);
  }

  void* team_scratch() const { return team_scratch_; }

  /// Prepares for the next team: nothing is allocated, and nothing has a value.
  void begin_team() {
    taken_ = 0;
    for (const auto& a : arrays_)
      std::memset(reinterpret_cast<void*>(a.begin), unwritten_byte, a.end - a.begin);
  }

  void* take(element_type type, index_t count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * type.bytes;
    if (taken_ < arrays_.size()) {
      const range& known = arrays_[taken_];
      if (known.end - known.begin == bytes && known.type.kind == type.kind &&
          known.type.bytes == type.bytes)
        return reinterpret_cast<void*>(arrays_[taken_++].begin);
      give_up(taken_);
    }
    return append(type, count, bytes);
  }

 private:
  static std::size_t page_end(std::size_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
  }

  void* append(element_type type, index_t count, std::size_t bytes) {
    const std::size_t end = begin_ + room_;
    const std::size_t around = arrays_.size() < far_arrays
                                   ? gap
                                   : std::max<std::size_t>(256, std::min<std::size_t>(bytes, 8192));
    std::size_t before = rest_begin_ + (arrays_.empty() ? 4096 : 192);
    if (before + bytes + around > end) before = rest_begin_;
    if (before + bytes > end) throw extent_error("team: too many arrays in scratch");
    const std::size_t behind = std::min(end, (before + bytes + around + 15) / 16 * 16);
    remove_range(rest_begin_);
    range r;
    r.outer_begin = rest_begin_;
    r.begin = before;
    r.end = before + bytes;
    r.outer_end = behind;
    r.type = type;
    r.extents[0] = count;
    r.strides[0] = 1;
    r.kind = page_kind::scratch;
    r.name = "scratch array " + std::to_string(arrays_.size()) + " ";
    add_range(r);
    arrays_.push_back(r);
    std::memset(reinterpret_cast<void*>(r.begin), unwritten_byte, bytes);
    ++taken_;
    forbid_rest(behind - begin_);
    return reinterpret_cast<void*>(r.begin);
  }

  /// Forgets the arrays from number `first` on: a team allocates other ones than the previous team.
  void give_up(std::size_t first) {
    remove_range(rest_begin_);
    for (std::size_t i = first; i < arrays_.size(); ++i) remove_range(arrays_[i].outer_begin);
    const std::uintptr_t rest = arrays_[first].outer_begin;
    arrays_.resize(first);
    forbid_rest(rest - begin_);
  }

  void forbid_rest(std::size_t offset) {
    rest_begin_ = begin_ + offset;
    if (offset == room_) return;
    range rest;
    rest.outer_begin = rest.begin = rest.end = rest_begin_;
    rest.outer_end = begin_ + room_;
    rest.kind = page_kind::scratch;
    rest.name = "scratch";
    add_range(rest);
  }

  /// More than a team's scratch, so that no index of one array reaches another one; later arrays
  /// are closer together.
  static constexpr std::size_t gap = std::size_t{232} << 10;
  static constexpr std::size_t far_arrays = 16;

  std::size_t room_;
  std::size_t kept_;
  std::uintptr_t begin_ = 0;
  std::uintptr_t rest_begin_ = 0;
  void* team_scratch_ = nullptr;
  std::vector<range> arrays_;
  std::size_t taken_ = 0;
};

scratch_block* scratch_of_team = nullptr;

/// Starts the operation's first actor, or a part of a loop if there are no teams.
void begin_actors(actor first) {
  current.oldest[static_cast<int>(page_kind::plain)] = first;
  current.oldest[static_cast<int>(page_kind::scratch)] = first;
}

/// The items over which next_item() iterates.
struct item_state {
  const shuffled* order = nullptr;
  index_t next = 0;  // position in the order of the block that comes next
  index_t end = 0;
  shuffled::part now{};
  index_t held = 0;  // rest of the part, for begin_part() to decide
};
item_state items;

/// Lets `call` iterate over the items from the begin-th on, as actors from `first` on.
void go_through(const shuffled& order, index_t begin, index_t end, actor first, const void* object,
                call_items call) {
  items = {&order, begin, end, {}, 0};
  current.me = first - actor_step;
  call(object);
}

void begin_between() {
  add_group(actor_group::between, 1);
  current.me = current.phase_first = operation.groups.back().first;
  operation.in_phase = false;
  current.is_between = true;
  current.update();
}

}  // namespace

void require_host_code(const char* what) {
  if (current.is == mode::off) return;
  const auto caller = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  throw kernel_error(failure_at(
      caller, "nested", std::string(what) + " inside a kernel of " + operation.what.operation,
      "operations are called by the host, one after the other"));
}

void run_loop(const kernel& what, int rank, const index_t* first, const index_t* sizes,
              call_items call) {
  const running time(what, __builtin_frame_address(0));
  index_t total = 1;
  operation.is_team = false;
  current.is_between = false;
  operation.rank = rank;
  for (int d = 0; d < rank; ++d) {
    operation.begin[d] = first[d];
    operation.sizes[d] = sizes[d];
    total *= sizes[d];
  }
  // Loops with more iterations than actors are checked in parts.
  constexpr index_t most = index_t{1} << 28;
  const shuffled order(total, operation.salt(0, 0));
  for (index_t begin = 0; begin < total; begin += most) {
    const index_t end = std::min(total, begin + most);
    begin_actors(0);
    require_actors(end - begin);
    operation.team = begin;
    add_group(actor_group::iterations, end - begin);
    operation.groups.back().phase = total;
    current.me = operation.groups.back().first;
    begin_actors(current.me);
    current.phase_first = current.me;
    turn_on();
    go_through(order, begin, end, current.me, what.object, call);
    finish_later();
    end_iteration();
    turn_off();
  }
}

void run_teams(const kernel& what, index_t teams, int lanes, const team_memory& memory,
               call_team call) {
  const running time(what, __builtin_frame_address(0));
  scratch_block scratch(memory);
  operation.is_team = true;
  operation.lanes = lanes;
  current.team_begin = 0;
  begin_actors(0);
  require_actors(index_t{1} << 24);
  begin_actors(next_actor);
  const shuffled order(teams, operation.salt(-1, 0));
  for (index_t n = 0; n < teams; ++n) {
    operation.team = order(n);
    operation.phase = 0;
    scratch.begin_team();
    begin_team_locals();
    begin_between();
    current.oldest[static_cast<int>(page_kind::scratch)] = current.me;
    scratch_of_team = &scratch;
    turn_on();
    call(what.object, operation.team, scratch.team_scratch());
    scratch_of_team = nullptr;
    finish_later();
    end_iteration();
    turn_off();
  }
}

void stop_behind_item() { items.held += std::exchange(items.now.left, 0); }

/// The first item of a part, and everything after a finding.
[[gnu::noinline]] index_t begin_part() {
  end_iteration();
  items.now.left = std::exchange(items.held, 0);
  if (items.now.left == 0) {
    if (items.next == items.end) return -1;
    items.now = items.order->part_at(items.next, items.end);
    items.next += items.now.left;
  }
  current.me += actor_step;
  return items.now.take();
}

index_t next_item() {
  if (items.now.left == 0) [[unlikely]]
    return begin_part();
  current.me += actor_step;
  return items.now.take();
}

bool run_phase(index_t count, bool is_items, const void* object, call_items call) {
  if (current.is == mode::off || !operation.is_team) return false;
  if (count > 0) {
    add_group(is_items ? actor_group::items : actor_group::lanes, count);
    const actor first = operation.groups.back().first;
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    current.team_begin = frame;
    operation.in_phase = true;
    current.is_between = false;
    current.update();
    const shuffled order(count, operation.salt(operation.team, operation.phase));
    current.me = first;
    operation.is_items = is_items;
    go_through(order, 0, count, first, object, call);
    current.team_begin = 0;  // begin_between() updates the fast path
    end_phase_locals();
    finish_later();
    end_iteration();
  }
  ++operation.phase;
  begin_between();
  return true;
}

bool is_in_phase() { return current.is != mode::off && operation.is_team && operation.in_phase; }

void* take_scratch(element_type type, index_t count) {
  if (current.is == mode::off || scratch_of_team == nullptr) return nullptr;
  return scratch_of_team->take(type, count);
}

void require_own_lane(int lane) {
  if (current.is == mode::off || !operation.is_team) return;
  const index_t item = items.now.last;
  if (operation.in_phase && (operation.is_items ? item % operation.lanes : item) == lane) return;
  finding f;
  f.kind = "lane state";
  f.element = "per_lane[" + std::to_string(lane) + "]";
  f.who = current.me;
  f.access = "uses";
  f.place = place_of(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
  f.hint =
      "only lane x may use element x of a per_lane, inside a phase: pass values between lanes "
      "through scratch";
  report(f);
}

}  // namespace tandem::checked
