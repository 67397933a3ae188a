// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/comparison.hpp>

#include <tandem/core/detail/profiling.hpp>
#include <tandem/core/detail/run_records.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <istream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>

namespace tandem::detail {

constinit int recording_threads = 0;

namespace {

double milliseconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

}  // namespace

/// One run: it writes records, or compares what is written with records of another run.
class recorder {
 public:
  recorder(run which, std::iostream& records, comparison& report)
      : which_(which), records_(records), report_(report) {}

  void add_array(void* data, index_t count, const element_format& format,
                 const space_access& space) {
    if (depth_ > 0 || count == 0) return;
    known_array added{next_array_++, count, format, space.copy != nullptr,
                      unwritten(which_, count, format)};
    if (space.copy == nullptr) {
      std::memcpy(data, added.last.data(), added.last.size());
    } else {
      space.copy(space.space, added.last.data(), data, added.last.size(), false);
    }
    if (which_ == run::b && last_of_a_.count(added.number) == 0)
      last_of_a_[added.number] = {format, unwritten(run::a, count, format)};
    arrays_[data] = std::move(added);
  }

  void remove_array(const void* data) { arrays_.erase(const_cast<void*>(data)); }

  void add_output(const noted_output& output) {
    if (depth_ == 1 && !lies_in_array(output.data)) outputs_.push_back(output);
  }

  void add_result(const void* value, const element_format& format) {
    if (depth_ != 1) return;
    const auto* const bytes = static_cast<const unsigned char*>(value);
    const int number = first_result - static_cast<int>(results_.size());
    results_[number] = {format, element_bytes(bytes, bytes + format.bytes)};
  }

  void begin(const operation& what) {
    if (depth_++ > 0) return;
    outputs_.clear();
    results_.clear();
    keep({"", 0, array_changes(what.space)});
    begin_ = milliseconds_now();
  }

  void end(const operation& what) {
    if (--depth_ > 0) return;
    const double milliseconds = milliseconds_now() - begin_;
    std::string label = what.label;
    for (int d = 0; d < what.sizes.count; ++d)
      label += (d == 0 ? " " : " x ") + std::to_string(what.sizes.size[d]);
    record done{std::move(label), milliseconds, array_changes(what.space)};
    done.written.insert(results_.begin(), results_.end());
    add_host_outputs(done.written);
    keep(done);
  }

  /// Reads the arrays a last time and says where the other run goes on.
  void finish(const space_access& space) {
    depth_ = 0;
    keep({"", 0, array_changes(space)});
    if (which_ == run::b && report_.mismatch.empty() && (other_ || get_record(records_)))
      report_.mismatch = report_.name_b + " runs fewer operations than " + report_.name_a;
  }

 private:
  struct known_array {
    int number;
    index_t count;
    element_format format;
    bool is_on_device;
    element_bytes last;  ///< what it held when it was last read
  };

  bool lies_in_array(const void* data) const {
    auto after = arrays_.upper_bound(const_cast<void*>(data));
    if (after == arrays_.begin()) return false;
    const auto& [begin, array] = *--after;
    return data < static_cast<const unsigned char*>(begin) + array.last.size();
  }

  /// Reads the arrays and returns those whose memory has changed.
  changes array_changes(const space_access& space) {
    changes found;
    for (auto& [data, array] : arrays_) {
      if (array.is_on_device && space.copy == nullptr) continue;
      element_bytes now(array.last.size());
      try {
        if (array.is_on_device) {
          space.copy(space.space, data, now.data(), now.size(), true);
        } else {
          std::memcpy(now.data(), data, now.size());
        }
      } catch (...) {
        continue;  // while the space records a graph, or is lost: the next operation reports that
      }
      if (now == array.last) continue;
      array.last = now;
      found[array.number] = {array.format, std::move(now)};
    }
    return found;
  }

  void add_host_outputs(changes& written) const {
    int number = first_host_output;
    for (const noted_output& output : outputs_) {
      index_t count = 1;
      for (int d = 0; d < output.rank; ++d) count *= output.extent[d];
      change one{output.format, {}};
      one.bytes.reserve(static_cast<std::size_t>(count) * output.format.bytes);
      const auto* const data = static_cast<const unsigned char*>(output.data);
      for (index_t i = 0; i < count; ++i) {
        index_t rest = i;
        index_t offset = 0;
        for (int d = output.rank - 1; d >= 0; --d) {
          offset += rest % output.extent[d] * output.stride[d];
          rest /= output.extent[d];
        }
        const auto* const at = data + offset * static_cast<index_t>(output.format.bytes);
        one.bytes.insert(one.bytes.end(), at, at + output.format.bytes);
      }
      written[number--] = std::move(one);
    }
  }

  void keep(const record& what) {
    const bool is_outside = what.label.empty();
    if (which_ == run::a) {
      if (!is_outside || !what.written.empty()) put_record(records_, what);
      return;
    }
    if (!report_.mismatch.empty()) return;
    if (!other_) other_ = get_record(records_);
    if (is_outside) {
      if (what.written.empty() && !(other_ && other_->label.empty())) return;
      compare(other_ && other_->label.empty() ? *other_ : record{}, what);
      if (other_ && other_->label.empty()) other_.reset();
      return;
    }
    if (other_ && other_->label.empty()) {  // written by the other run alone
      compare(*other_, {});
      other_ = get_record(records_);
    }
    if (!other_ || other_->label != what.label) {
      report_.mismatch = report_.name_b + " runs " + what.label + " where " + report_.name_a +
                         (other_ ? " runs " + other_->label : " has ended");
      return;
    }
    compare(*other_, what);
    other_.reset();
  }

  /// Compares everything that either run has written.
  void compare(const record& a, const record& b) {
    compared_operation result;
    result.label = b.label.empty() ? "(between operations)" : b.label;
    result.milliseconds_a = a.milliseconds;
    result.milliseconds_b = b.milliseconds;
    std::set<int> numbers;
    for (const auto& [number, one] : a.written) {
      numbers.insert(number);
      if (number >= 0) last_of_a_[number] = one;
    }
    for (const auto& one : b.written) numbers.insert(one.first);
    for (const int number : numbers) {
      const change* const left = number >= 0 ? find(last_of_a_, number) : find(a.written, number);
      const change* right = find(b.written, number);
      change last;
      if (right == nullptr && number >= 0) {
        for (const auto& [data, array] : arrays_) {
          if (array.number == number) last = {array.format, array.last};
        }
        right = &last;
      }
      compare_output(number, left, right, result);
    }
    if (!b.label.empty() || !result.agrees) report_.operations.push_back(std::move(result));
  }

  static const change* find(const changes& all, int number) {
    const auto found = all.find(number);
    return found == all.end() ? nullptr : &found->second;
  }

  void compare_output(int number, const change* a, const change* b, compared_operation& result) {
    if (a == nullptr || b == nullptr || a->bytes.size() != b->bytes.size() ||
        a->format.bytes != b->format.bytes) {
      report_.mismatch =
          output_name(number) + " has another size or type, or is missing, in " + result.label;
      return;
    }
    const difference found = find_difference(a->bytes, b->bytes, b->format);
    if (found.differing == 0) return;
    if (result.agrees) {
      result.agrees = false;
      result.output = output_name(number);
      result.first = found.first;
      result.value_a = found.value_a;
      result.value_b = found.value_b;
    }
    result.differing += found.differing;
    result.ulp = std::max(result.ulp, found.ulp);
  }

  const run which_;
  std::iostream& records_;
  comparison& report_;
  std::map<void*, known_array> arrays_;
  changes last_of_a_;            ///< what the arrays hold in the first run
  std::optional<record> other_;  ///< read, but not compared
  std::vector<noted_output> outputs_;
  changes results_;
  int next_array_ = 0;
  int depth_ = 0;
  double begin_ = 0;
};

namespace {

thread_local recorder* this_threads_recorder = nullptr;

profiler recording_profiler{[](const operation& what, std::uint64_t* id) {
                              *id = 0;
                              if (this_threads_recorder == nullptr) return;
                              *id = 1;
                              this_threads_recorder->begin(what);
                            },
                            [](const operation& what, std::uint64_t id) {
                              if (id == 1 && this_threads_recorder != nullptr)
                                this_threads_recorder->end(what);
                            },
                            true, true};

std::mutex& recording_lock() {
  static std::mutex lock;
  return lock;
}

/// Makes `next` the recorder of this thread, or none; returns the one before.
recorder* set_recorder(recorder* next) {
  const std::scoped_lock guard(recording_lock());
  recorder* const before = this_threads_recorder;
  const int change = (next != nullptr ? 1 : 0) - (before != nullptr ? 1 : 0);
  if (change > 0 && recording_threads == 0) add_profiler(recording_profiler);
  const int now = __atomic_add_fetch(&recording_threads, change, __ATOMIC_RELAXED);
  if (change < 0 && now == 0) remove_profiler(recording_profiler);
  this_threads_recorder = next;
  return before;
}

}  // namespace

void note_array(void* data, index_t count, const element_format& format,
                const space_access& space) {
  if (this_threads_recorder != nullptr)
    this_threads_recorder->add_array(data, count, format, space);
}
void forget_array(const void* data) noexcept {
  if (this_threads_recorder != nullptr) this_threads_recorder->remove_array(data);
}
void note_output(const noted_output& output) {
  if (this_threads_recorder != nullptr) this_threads_recorder->add_output(output);
}
void note_result(const void* value, const element_format& format) {
  if (this_threads_recorder != nullptr) this_threads_recorder->add_result(value, format);
}

struct comparer::state {
  std::stringstream records{std::ios::in | std::ios::out | std::ios::binary};
  comparison report;
  std::optional<recorder> current;
  recorder* before = nullptr;
  int runs = 0;
};

comparer::comparer() : state_(std::make_unique<state>()) {}

comparer::~comparer() {
  if (state_->current) set_recorder(state_->before);
}

void comparer::begin(const space_access& space) {
  const bool is_first = state_->runs++ == 0;
  (is_first ? state_->report.name_a : state_->report.name_b) = space.name;
  state_->current.emplace(is_first ? run::a : run::b, state_->records, state_->report);
  state_->before = set_recorder(&*state_->current);
}

void comparer::end(const space_access& space) {
  state_->current->finish(space);
  set_recorder(state_->before);
  state_->current.reset();
}

const comparison& comparer::report() const { return state_->report; }

}  // namespace tandem::detail
