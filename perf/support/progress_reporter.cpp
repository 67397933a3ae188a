// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/progress_reporter.hpp>

#include <algorithm>
#include <cstdio>

namespace perf {

namespace {

/// "reduce/sum/f32/65536/cuda/tandem/resident/..." split at its slashes.
std::vector<std::string> fields(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '/') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  parts.resize(std::max<std::size_t>(parts.size(), 7));
  return parts;
}

double seconds_of(const ::benchmark::BenchmarkReporter::Run& run) {
  return run.iterations > 0 ? run.real_accumulated_time / static_cast<double>(run.iterations) : 0;
}

double counter(const ::benchmark::BenchmarkReporter::Run& run, const char* name) {
  const auto found = run.counters.find(name);
  return found == run.counters.end() ? 0 : found->second.value;
}

bool says(const ::benchmark::BenchmarkReporter::Run& run, const char* words) {
  return run.report_label.find(words) != std::string::npos;
}

/// Why a run failed, or null. Google Benchmark renamed the members in 1.8.
template <class Run>
const std::string* failure(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred ? &run.error_message : nullptr;
  } else {
    return run.skipped ? &run.skip_message : nullptr;
  }
}

}  // namespace

void progress_reporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<const Run*> repetitions;
  for (const Run& run : runs) {
    if (run.run_type == Run::RT_Iteration) repetitions.push_back(&run);
  }
  if (repetitions.empty()) return;
  const auto middle = repetitions.begin() + static_cast<std::ptrdiff_t>(repetitions.size() / 2);
  std::nth_element(repetitions.begin(), middle, repetitions.end(),
                   [](const Run* a, const Run* b) { return seconds_of(*a) < seconds_of(*b); });
  print(**middle, seconds_of(**middle));
}

void progress_reporter::print(const Run& middle, double seconds) {
  const std::string* const why = failure(middle);
  if (why != nullptr && *why == "interrupted") return;
  const std::vector<std::string> part = fields(middle.run_name.function_name);
  const std::string heading = part[0] + " " + part[1] + " " + part[2] + " " + part[3];
  if (heading != heading_) std::printf("%s\n", heading.c_str());
  heading_ = heading;
  std::printf("    %-7s %-9s %-10s ", part[4].c_str(), part[5].c_str(), part[6].c_str());
  if (why != nullptr) {
    ++failures_;
    std::printf("FAILED: %s\n", why->c_str());
  } else {
    const double flops = counter(middle, "flops");
    const double amount = flops > 0 ? flops : counter(middle, "bytes");
    std::printf("%12.2f us", seconds * 1e6);
    if (amount > 0) {
      std::printf("  %9.1f %s", amount / seconds * 1e-9, flops > 0 ? "GFLOP/s" : "GB/s");
    }
    const bool differs = says(middle, "promised=yes") && says(middle, "equal=no");
    if (differs) ++disagreements_;
    std::printf("%s\n", differs ? "  BITS DIFFER" : "");
  }
  std::fflush(stdout);
}

}  // namespace perf
