// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/errors.hpp>
#include <tandem/core/tools/checked/access.hpp>
#include <tandem/core/tools/checked/scratch.hpp>

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace tandem::checked {

operation_state operation;

std::recursive_mutex& runtime_lock() {
  static auto* const one = new std::recursive_mutex;  // outlives the arrays of static storage
  return *one;
}

namespace {

actor next_actor = actor_step;
/// How often the numbers of actors have begun again.
std::uint64_t actor_rounds = 0;
/// The actors of the last loop, which finished_loop keeps.
actor loop_first = 0;

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
  ++actor_rounds;
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
    operation.has_locks = false;
    ++operation.number;
    operation.groups.clear();
    forget_seconds();
    forget_team_atomics();
    begin_host_state();
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
  operation.groups.push_back({take_actors(count), kind, operation.team, operation.phase, count, 0});
}

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

/// Makes the iterations of a loop, or the operation as an actor, the writers of the elements that
/// the operation itself writes while it calls them.
void claim_written(const written_elements& written, const shuffled& order, index_t begin,
                   index_t end, actor first) {
  const auto address = [&](index_t i) {
    return reinterpret_cast<std::uintptr_t>(written.first) +
           static_cast<std::uintptr_t>(i * written.stride) * written.bytes;
  };
  if (!written.by_iteration) {
    for (index_t i = 0; i < written.count; ++i)
      claim(address(i), written.bytes, operation.groups.front().first);
    return;
  }
  for (index_t n = begin; n < end; ++n) {
    const index_t i = order(n);
    if (i < written.count)
      claim(address(i), written.bytes, first + actor_step * static_cast<actor>(n - begin));
  }
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
  loop_first = next_actor;
  for (index_t begin = 0; begin < total; begin += most) {
    const index_t end = std::min(total, begin + most);
    begin_actors(0);
    require_actors(end - begin + 1);
    operation.team = begin;
    loop_first = next_actor;
    if (what.written.count > 0 && !what.written.by_iteration) add_group(actor_group::whole, 1);
    add_group(actor_group::iterations, end - begin);
    operation.groups.back().phase = total;
    current.me = operation.groups.back().first;
    begin_actors(loop_first);
    current.phase_first = loop_first;
    claim_written(what.written, order, begin, end, current.me);
    turn_on();
    go_through(order, begin, end, current.me, what.object, call);
    finish_later();
    end_iteration();
    turn_off();
  }
}

/// What finished_loop keeps of a loop.
struct finished_loop::state {
  operation_state operation;
  actor first;
  actor end;
  std::uint64_t rounds;
};

finished_loop::finished_loop() {
  const std::lock_guard guard(runtime_lock());
  state_ = new state{operation, loop_first, next_actor, actor_rounds};
}
finished_loop::~finished_loop() { delete state_; }

void finished_loop::run_after(const kernel& what, call_items call) const {
  const running time(what, __builtin_frame_address(0));
  // The loop's number, which its order follows from, for the time of the call.
  struct restored_number {
    std::uint64_t number = operation.number;
    ~restored_number() { operation.number = number; }
  };
  const restored_number number;
  require_actors(1);
  operation = state_->operation;
  operation.what = what;
  const bool is_known = state_->rounds == actor_rounds;
  if (!is_known) operation.groups.clear();
  begin_actors(0);
  add_group(actor_group::after, 1);
  current.me = current.phase_first = operation.groups.back().first;
  // Accesses between the loop's end and here belong to the operation, not to its user's functions.
  current.oldest[static_cast<int>(page_kind::plain)] = is_known ? state_->first : current.me;
  current.oldest[static_cast<int>(page_kind::scratch)] = is_known ? state_->end : current.me;
  current.is_between = false;
  items = {};
  turn_on();
  call(what.object);
  finish_later();
  end_iteration();
}

void run_teams(const kernel& what, index_t teams, int lanes, const team_extents& extents,
               const team_memory& memory, call_team call) {
  const running time(what, __builtin_frame_address(0));
  scratch_block scratch(memory);
  operation.extents = extents;
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

bool run_phase(index_t count, bool is_items, const void* object, call_items call, index_t columns) {
  if (current.is == mode::off || !operation.is_team) return false;
  if (count > 0) {
    add_group(is_items ? actor_group::items : actor_group::lanes, count);
    operation.groups.back().columns = columns;
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
