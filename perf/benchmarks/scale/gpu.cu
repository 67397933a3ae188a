// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/scale/bench.hpp>

namespace perf::scale_gpu {
namespace {

/// y += 2 x.
struct axpy {
  template <class X, class Y>
  TANDEM_FUNCTION void operator()(index_t i, const X& x, const Y& y) const {
    y(i) += 2 * x(i);
  }
};

struct heat {
  template <class U, class V>
  TANDEM_FUNCTION void operator()(index_t k, index_t j, index_t i, const U& u, const V& v) const {
    v(k, j, i) =
        u(k, j, i) + 0.1f * (u(k - 1, j, i) + u(k + 1, j, i) + u(k, j - 1, i) + u(k, j + 1, i) +
                             u(k, j, i - 1) + u(k, j, i + 1) - 6 * u(k, j, i));
  }
};

/// A random line, on which operations work. Each run() of one ends with its result.
template <class Space>
class one_line {
 public:
  one_line(std::shared_ptr<Space> space, index_t n)
      : space_(std::move(space)), x_(extents<1>(n), *space_) {
    tandem::fill_random(*space_, x_, tandem::uniform{0, 1}, scale_seed);
  }

 protected:
  std::shared_ptr<Space> space_;
  array<float, 1, Space> x_;
};

template <class Space>
struct fill_random_run : one_line<Space> {
  using one_line<Space>::one_line;
  void run() {
    tandem::fill_random(*this->space_, this->x_, tandem::uniform{0, 1}, scale_seed);
    this->space_->fence();
  }
  outcome result() { return line_outcome(*this->space_, this->x_.size(), std::as_const(this->x_)); }
};

template <class Space>
class two_lines : public one_line<Space> {
 public:
  two_lines(const std::shared_ptr<Space>& space, index_t n)
      : one_line<Space>(space, n), y_(extents<1>(n), 1.0f, *space) {}
  outcome result() { return line_outcome(*this->space_, y_.size(), std::as_const(y_)); }

 protected:
  array<float, 1, Space> y_;
};

template <class Space>
struct axpy_run : two_lines<Space> {
  using two_lines<Space>::two_lines;
  void run() {
    tandem::parallel_for(*this->space_, this->x_.size(), axpy{}, std::as_const(this->x_), this->y_);
    this->space_->fence();
  }
};

template <class Space>
struct scan_run : two_lines<Space> {
  using two_lines<Space>::two_lines;
  void run() {
    tandem::parallel_scan(*this->space_, this->x_, this->y_);
    this->space_->fence();
  }
};

template <class Space>
class reduce_run : public one_line<Space> {
 public:
  using one_line<Space>::one_line;
  void run() { total_ = tandem::parallel_reduce(*this->space_, this->x_); }
  outcome result() { return summary_of(total_); }

 private:
  float total_ = 0;
};

/// An array that every member of a group has, or one of a space.
template <class T>
array<T, 1, cuda> whole_array(const cuda& space, index_t n) {
  return array<T, 1, cuda>(extents<1>(n), space);
}
template <class T>
array<T, 1, gpus> whole_array(const gpus& members, index_t n) {
  return array<T, 1, gpus>(extents<1>(n), members, tandem::replicated);
}

template <class Space>
class histogram_run : public one_line<Space> {
 public:
  histogram_run(const std::shared_ptr<Space>& space, index_t n)
      : one_line<Space>(space, n), counts_(whole_array<std::int64_t>(*space, 256)) {}
  void run() {
    tandem::histogram(*this->space_, this->x_, {.lo = 0, .hi = 1}, counts_);
    this->space_->fence();
  }
  outcome result() {
    const auto counts = tandem::to_vector(*this->space_, counts_);
    return summary_of(counts.data(), static_cast<index_t>(counts.size()));
  }

 private:
  array<std::int64_t, 1, Space> counts_;
};

/// Keys and values, or keys alone, that are sorted to other arrays.
template <class Space, class Key>
class sort_run {
 public:
  sort_run(std::shared_ptr<Space> space, index_t n)
      : space_(std::move(space)), keys_(extents<1>(n), *space_), sorted_(extents<1>(n), *space_) {
    tandem::fill_random(*space_, keys_, tandem::random_bits{}, scale_seed);
  }
  void run() {
    tandem::sort(*space_, keys_, sorted_);
    space_->fence();
  }
  outcome result() { return line_outcome(*space_, sorted_.size(), std::as_const(sorted_)); }

 private:
  std::shared_ptr<Space> space_;
  array<Key, 1, Space> keys_;
  array<Key, 1, Space> sorted_;
};
template <class Space>
using sort_u32 = sort_run<Space, std::uint32_t>;
template <class Space>
using sort_u64 = sort_run<Space, std::uint64_t>;

template <class Space>
class sort_by_key_run {
 public:
  sort_by_key_run(std::shared_ptr<Space> space, index_t n)
      : space_(std::move(space)),
        keys_(extents<1>(n), *space_),
        values_(extents<1>(n), *space_),
        sorted_keys_(extents<1>(n), *space_),
        sorted_values_(extents<1>(n), *space_) {
    tandem::fill_random(*space_, keys_, tandem::random_bits{}, scale_seed);
    tandem::iota(*space_, values_);
  }
  void run() {
    tandem::sort_by_key(*space_, keys_, values_, sorted_keys_, sorted_values_);
    space_->fence();
  }
  outcome result() {
    return line_outcome(*space_, sorted_values_.size(), std::as_const(sorted_values_));
  }

 private:
  std::shared_ptr<Space> space_;
  array<std::uint32_t, 1, Space> keys_;
  array<std::uint32_t, 1, Space> values_;
  array<std::uint32_t, 1, Space> sorted_keys_;
  array<std::uint32_t, 1, Space> sorted_values_;
};

/// A product of square matrices.
template <class Space, class T>
class matmul_run {
 public:
  matmul_run(std::shared_ptr<Space> space, index_t side)
      : space_(std::move(space)),
        a_(extents<2>(side, side), *space_),
        b_(extents<2>(side, side), *space_),
        c_(extents<2>(side, side), *space_) {
    tandem::parallel_for(*space_, tandem::grid{side, side}, set_entry{29}, a_);
    tandem::parallel_for(*space_, tandem::grid{side, side}, set_entry{37}, b_);
  }
  void run() {
    tandem::matmul(*space_, a_, b_, c_);
    space_->fence();
  }
  outcome result() {
    return summary_of(tandem::parallel_reduce(*space_, c_, tandem::sum<float>{}));
  }

 private:
  std::shared_ptr<Space> space_;
  array<T, 2, Space> a_;
  array<T, 2, Space> b_;
  array<T, 2, Space> c_;
};
template <class Space>
using matmul_of_floats = matmul_run<Space, float>;
template <class Space>
using matmul_of_bf16 = matmul_run<Space, tandem::bf16>;

/// Ten steps of the heat equation in a box whose planes are shared out.
constexpr int heat_steps = 10;

template <class Space>
class heat_run {
 public:
  heat_run(std::shared_ptr<Space> space, index_t planes)
      : space_(std::move(space)), u_(make(*space_, planes)), v_(make(*space_, planes)) {
    start();
  }
  void run() {
    for (int step = 0; step < heat_steps; ++step) {
      const index_t planes = u_.extent(0);
      const tandem::grid inner{{1, planes - 1}, {1, side - 1}, {1, side - 1}};
      if constexpr (std::is_same_v<Space, gpus>) {
        tandem::parallel_for(*space_, inner, heat{}, tandem::exchanged(u_), v_);
      } else {
        tandem::parallel_for(*space_, inner, heat{}, std::as_const(u_), v_);
      }
      std::swap(u_, v_);
    }
    space_->fence();
  }
  outcome result() {
    start();
    run();
    return summary_of(tandem::asum(*space_, u_));
  }

 private:
  static constexpr index_t side = 512;
  static array<float, 3, Space> make(const Space& space, index_t planes) {
    const extents<3> sizes(planes, side, side);
    if constexpr (std::is_same_v<Space, gpus>) {
      return array<float, 3, Space>(sizes, space, tandem::halo{1});
    } else {
      return array<float, 3, Space>(sizes, space);
    }
  }
  void start() {
    tandem::fill_random(*space_, u_, tandem::uniform{0, 1}, scale_seed);
    tandem::fill_random(*space_, v_, tandem::uniform{0, 1}, scale_seed);
  }

  std::shared_ptr<Space> space_;
  array<float, 3, Space> u_;
  array<float, 3, Space> v_;
};

template <template <class> class Run, class Space>
candidate made_on(const std::function<Space()>& make_space, index_t n) {
  auto work = std::make_shared<Run<Space>>(std::make_shared<Space>(make_space()), n);
  return on_host([=](std::int64_t) { work->run(); }, [=] { return work->result(); });
}

/// Adds an operation on one GPU, on all of them, on eight parts of one and on a group of one.
/// Eight parts need the memory of two lines once more; they and a group of one are compared at the
/// sizes of `parts`.
template <template <class> class Run>
void add_scaling(lineup& add, problem solved, index_t n, bool with_parts) {
  solved.expected = [=] {
    Run<cuda> work(std::make_shared<cuda>(), n);
    work.run();
    return reference{work.result(), 0, "one GPU"};
  };
  add(on_one_gpu(solved, [=] { return made_on<Run, cuda>([] { return cuda(); }, n); }));
  const auto on_group = [&](const char* variant, const std::function<gpus()>& make) {
    add(tandem_through_host(solved, variant, [=] { return made_on<Run, gpus>(make, n); }));
  };
  if (cuda::devices().size() > 1) on_group("devices", [] { return tandem::devices(); });
  if (!with_parts) return;
  on_group("shards_8", [] { return tandem::shards<cuda>(8); });
  on_group("group_of_1", [] { return tandem::shards<cuda>(1); });
}

template <template <class> class Run>
void add_line(lineup& add, const settings& chosen, const char* name, double bytes,
              const std::vector<int>& exponents) {
  for (const int exponent : exponents) {
    const index_t n = index_t{1} << exponent;
    add_scaling<Run>(add, problem_of("scale", name, "f32", n, bytes, {}), n,
                     exponent <= 30 || chosen.quick);
  }
}

template <template <class> class Run>
void add_sort(lineup& add, const settings& chosen, const char* name, const char* type,
              double bytes) {
  const index_t n = index_t{1} << (chosen.quick ? 20 : 30);
  add_scaling<Run>(add, problem_of("scale", name, type, n, bytes, {}), n, false);
}

template <template <class> class Run>
void add_matmul(lineup& add, const char* type, double bytes, index_t side) {
  problem solved = problem_of("scale", "matmul", type, side * side, 3 * bytes, {});
  solved.size = std::to_string(side) + "x" + std::to_string(side) + "x" + std::to_string(side);
  solved.flops = 2.0 * static_cast<double>(side) * solved.elements;
  add_scaling<Run>(add, solved, side, false);
}

void list_groups(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  const std::vector<int> sizes =
      chosen.quick ? std::vector<int>{20} : std::vector<int>{20, 28, 30, 32};
  add_line<fill_random_run>(add, chosen, "fill_random", 4, sizes);
  add_line<axpy_run>(add, chosen, "axpy", 12, sizes);
  add_line<reduce_run>(add, chosen, "reduce", 4, sizes);
  add_line<histogram_run>(add, chosen, "histogram", 4, sizes);
  add_line<scan_run>(add, chosen, "scan", 8, sizes);
  add_sort<sort_u32>(add, chosen, "sort", "u32", 8);
  add_sort<sort_u64>(add, chosen, "sort", "u64", 16);
  add_sort<sort_by_key_run>(add, chosen, "sort_by_key", "u32", 16);
  const index_t side = chosen.quick ? 1024 : 16384;
  add_matmul<matmul_of_floats>(add, "f32", 4, side);
  add_matmul<matmul_of_bf16>(add, "bf16", 2, side);
  const index_t planes = chosen.quick ? 64 : 1024;
  problem steps = problem_of("scale", "heat", "f32", planes * 512 * 512, 8 * heat_steps, {});
  steps.size = std::to_string(planes) + "x512x512";
  add_scaling<heat_run>(add, steps, planes, false);
}

const registration groups(list_groups);

}  // namespace
}  // namespace perf::scale_gpu
