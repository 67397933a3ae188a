// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry point of every test binary. Ends its output with one line that
// tests/checks/count_results.py reads. A binary whose cases all need a GPU (TANDEM_TEST_CUDA)
// counts them as skipped if there is none.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <vector>

#ifdef TANDEM_TEST_CUDA
#include <tandem/tandem.hpp>
#endif

namespace {

bool machine_can_run() {
#ifdef TANDEM_TEST_CUDA
  return !tandem::cuda::devices().empty();
#else
  return true;
#endif
}

unsigned skipped_cases = 0;
unsigned passed_cases = 0;
unsigned failed_cases = 0;

/// Records the counts of a run, or of the query that replaces a run without a GPU.
struct counter : doctest::IReporter {
  explicit counter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData& query) override {
    skipped_cases = query.run_stats->numTestCasesPassingFilters;
  }
  void test_run_end(const doctest::TestRunStats& run) override {
    failed_cases = run.numTestCasesFailed;
    passed_cases = run.numTestCasesPassingFilters - run.numTestCasesFailed;
  }
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

DOCTEST_REGISTER_LISTENER("counter", 1, counter);

}  // namespace

int main(int argc, char** argv) {
  doctest::Context context;
  std::vector<const char*> arguments(argv, argv + argc);
  if (!machine_can_run()) {
    std::printf("no CUDA device: the cases of this binary are skipped\n");
    arguments.push_back("--count");
  }
  context.applyCommandLine(static_cast<int>(arguments.size()), arguments.data());
  const int status = context.run();
  std::printf("tandem-tests: passed=%u failed=%u skipped=%u\n", passed_cases, failed_cases,
              skipped_cases);
  return status;
}
