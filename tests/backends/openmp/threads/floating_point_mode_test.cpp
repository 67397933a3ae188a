// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that flush subnormal numbers to zero, or do not round to nearest, are reported: by a
// space constructed on such a thread, and by a parallel region that runs on one.

#include <doctest/doctest.h>

#include <cfenv>
#include <cstring>
#include <string>

#include <omp.h>

#include <tandem/tandem.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

constexpr int enough = 1 << 22;  // enough indices for a fork

#if defined(__x86_64__)
void flush_to_zero() { _mm_setcsr(_mm_getcsr() | 0x8000u); }
void denormals_are_zero() { _mm_setcsr(_mm_getcsr() | 0x0040u); }
#else
void flush_to_zero() { std::fesetround(FE_TOWARDZERO); }
void denormals_are_zero() { std::fesetround(FE_DOWNWARD); }
#endif
void round_up() { std::fesetround(FE_UPWARD); }

constexpr void (*modes[])() = {flush_to_zero, denormals_are_zero, round_up};

/// Saves the calling thread's mode and restores it.
class mode_guard {
 public:
  mode_guard() { std::fegetenv(&before_); }
  mode_guard(const mode_guard&) = delete;
  mode_guard& operator=(const mode_guard&) = delete;
  ~mode_guard() { std::fesetenv(&before_); }

 private:
  std::fenv_t before_{};
};

/// Sets the mode of thread `which` of a team of three. Returns whether the thread still has it in
/// the next region: there may be no such thread, and LLVM's runtime gives every region the caller's
/// mode.
bool set_mode_of(int which, void (*set_mode)()) {
  std::fenv_t set{};
  bool is_kept = false;
#pragma omp parallel num_threads(3)
  if (omp_get_thread_num() == which) {
    set_mode();
    std::fegetenv(&set);
  }
#pragma omp parallel num_threads(3)
  if (omp_get_thread_num() == which) {
    std::fenv_t now{};
    std::fegetenv(&now);
    is_kept = std::memcmp(&now, &set, sizeof now) == 0;
  }
  return is_kept;
}

void restore_modes() {
#pragma omp parallel num_threads(3)
  std::fesetenv(FE_DFL_ENV);
}

double sum_of_work(const tandem::openmp& space) {
  return tandem::parallel_reduce(space, enough, [](int i) { return tandem::sqrt(double(i)); });
}

}  // namespace

TEST_CASE("openmp mode: a space made on a thread that does not compute as IEEE 754 is refused") {
  for (const auto set_mode : modes) {
    const mode_guard guard;
    set_mode();
    CHECK_THROWS_AS(tandem::openmp(2), tandem::agreement_error);
    CHECK_THROWS_AS(tandem::serial(), tandem::agreement_error);
  }
  CHECK_NOTHROW(tandem::openmp(2));
  CHECK_NOTHROW(tandem::serial());
}

TEST_CASE("openmp mode: a file that was compiled to compute otherwise is named, with the remedy") {
  using tandem::detail::build_fault;
  struct {
    build_fault fault;
    const char* remedy;
  } const cases[] = {{build_fault::contraction, "-ffp-contract=off"},
                     {build_fault::reassociation, "-fassociative-math"},
                     {build_fault::reciprocals, "-freciprocal-math"},
                     {build_fault::unsigned_zeros, "-fno-signed-zeros"},
                     {build_fault::no_nans, "-ffinite-math-only"}};
  auto& known = tandem::detail::known_agreement();
  REQUIRE(known.fault == 0);
  std::strcpy(known.file, "their/file.cpp");
  for (const auto& [fault, remedy] : cases) {
    known.fault = static_cast<int>(fault);
    std::string message;
    try {
      (void)tandem::serial();
    } catch (const tandem::agreement_error& e) {
      message = e.what();
    }
    known.fault = 0;
    CHECK(message.find("tandem: their/file.cpp was compiled") == 0);
    CHECK(message.find(remedy) != std::string::npos);
  }
  known.file[0] = '\0';
}

TEST_CASE("openmp mode: a region reports the caller's mode, set after the space was made") {
  const tandem::openmp space(3);
  if (space.threads() < 2) return;
  const double wanted = sum_of_work(space);
  for (const auto set_mode : modes) {
    const mode_guard guard;
    set_mode();
    std::string message;
    try {
      tandem::parallel_for(space, enough, [](int) {});
      sum_of_work(space);
    } catch (const tandem::agreement_error& e) {
      message = e.what();
    }
    CHECK(message.find("flushes subnormal numbers to zero") != std::string::npos);
    CHECK(message.find("TANDEM_AGREEMENT=0") != std::string::npos);
  }
  CHECK(sum_of_work(space) == wanted);
}

TEST_CASE("openmp mode: a region reports the mode of one of the team's other threads") {
  const tandem::openmp space(3);
  if (space.threads() < 3) return;
  for (const auto set_mode : modes) {
    if (!set_mode_of(2, set_mode)) continue;
    CHECK_THROWS_AS(sum_of_work(space), tandem::agreement_error);
    restore_modes();
  }
  CHECK_NOTHROW(sum_of_work(space));
}
