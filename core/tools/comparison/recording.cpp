// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/contract/environment.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/memory/host_memory.hpp>
#include <tandem/core/tools/comparison/recorder.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <new>
#include <sstream>
#include <string_view>

namespace tandem::detail {

constinit int recording_threads = 0;

namespace {

thread_local recorder* this_threads_recorder = nullptr;

/// Calls f(recorder) if this thread has one. If f runs out of memory for its records, the
/// comparison is marked incomplete and reports that at its end: the end of an operation cannot
/// throw.
template <class Function>
void with_recorder(const Function& f) {
  recorder* const now = this_threads_recorder;
  if (now == nullptr) return;
  try {
    f(*now);
  } catch (const std::bad_alloc&) {
    now->spoil();
  } catch (const out_of_memory_error&) {
    now->spoil();
  } catch (const std::ios_base::failure&) {
    now->spoil();
  }
}

profiler recording_profiler{[](const operation& what, std::uint64_t* id) {
                              *id = 0;
                              if (this_threads_recorder == nullptr) return;
                              *id = 1;
                              with_recorder([&](recorder& now) { now.begin(what); });
                            },
                            [](const operation& what, std::uint64_t id) {
                              if (id == 1) with_recorder([&](recorder& now) { now.end(what); });
                            },
                            true, true};

std::mutex& recording_lock() {
  static std::mutex lock;
  return lock;
}

/// Makes `next` this thread's recorder, or none; returns the previous one.
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
  with_recorder([&](recorder& now) { now.add_array(data, count, format, space); });
}
void forget_array(const void* data) noexcept {
  if (this_threads_recorder != nullptr) this_threads_recorder->remove_array(data);
}
void note_output(const noted_output& output) {
  with_recorder([&](recorder& now) { now.add_output(output); });
}
void note_result(const void* value, const element_format& format) {
  with_recorder([&](recorder& now) { now.add_result(value, format); });
}

namespace {

/// Makes a recorder this thread's recorder during the object's lifetime.
class recorder_guard {
 public:
  explicit recorder_guard(recorder& now) : before_(set_recorder(&now)) {}
  recorder_guard(const recorder_guard&) = delete;
  recorder_guard& operator=(const recorder_guard&) = delete;
  ~recorder_guard() { set_recorder(before_); }

 private:
  recorder* before_;
};

void run_recorded(run which, const bound_sequence& sequence, std::iostream& records,
                  comparison& report) {
  recorder now(which, records, report);
  const recorder_guard guard(now);
  sequence.run(sequence.context);
  with_recorder([&](recorder& last) { last.finish(sequence.space); });
  if (now.is_spoilt()) fail_host_memory("compare", now.watched_bytes());
}

}  // namespace

comparison compare_runs(const bound_sequence& a, const bound_sequence& b) try {
  std::stringstream records(std::ios::in | std::ios::out | std::ios::binary);
  records.exceptions(std::ios::badbit);  // lack of memory for a record must not look like the end
  comparison report;
  report.name_a = a.space.name;
  report.name_b = b.space.name;
  run_recorded(run::a, a, records, report);
  run_recorded(run::b, b, records, report);
  return report;
} catch (const std::bad_alloc&) {
  fail_host_memory("compare", sizeof(recorder));
}

namespace {

/// TANDEM_COMPARE=write:FILE and check:FILE: writes the operations of the main thread, from its
/// first one to the end of the process, to a file or compares them with one (decision 0025).
class environment_run {
 public:
  environment_run() {
    const char* const value = std::getenv("TANDEM_COMPARE");
    if (value == nullptr || *value == '\0') return;
    const std::string_view what(value);
    const bool writes = what.substr(0, 6) == "write:";
    if (!writes && what.substr(0, 6) != "check:") {
      ignore_setting("TANDEM_COMPARE", value, "there are write:FILE, check:FILE");
      return;
    }
    path_ = what.substr(6);
    file_.open(path_, std::ios::binary | (writes ? std::ios::out | std::ios::trunc : std::ios::in));
    std::string first(mark.size(), '\0');
    if (writes) {
      file_ << mark;
    } else {
      file_.read(first.data(), static_cast<std::streamsize>(first.size()));
    }
    if (!file_ || (!writes && first != mark)) {
      std::fprintf(stderr, "tandem: TANDEM_COMPARE: %s cannot be %s\n", path_.c_str(),
                   writes ? "written" : "read, or holds no records of this version");
      return;
    }
    report_.name_a = path_;
    report_.name_b = "this run";
    recorder_.emplace(writes ? run::a : run::b, file_, report_);
    writes_ = writes;
    set_recorder(&*recorder_);
  }
  environment_run(const environment_run&) = delete;
  environment_run& operator=(const environment_run&) = delete;
  ~environment_run() {
    if (!recorder_) return;
    set_recorder(nullptr);
    recorder_->finish({nullptr, "", nullptr});
    file_.flush();
    if (!writes_) {
      std::fputs(report_.text().c_str(), stderr);
    } else if (!file_) {
      std::fprintf(stderr, "tandem: TANDEM_COMPARE: %s could not be written\n", path_.c_str());
    }
  }

 private:
  static constexpr std::string_view mark = "tandem records 1\n";

  std::string path_;
  std::fstream file_;
  comparison report_;
  std::optional<recorder> recorder_;
  bool writes_ = false;
};

const environment_run the_environment_run;

}  // namespace

}  // namespace tandem::detail
