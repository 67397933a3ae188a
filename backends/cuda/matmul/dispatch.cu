// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry point of matrix products: makes a plan, which is a value, then runs the engine that it
// names.
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/dispatch.hpp>
#include <tandem/backends/cuda/matmul/hopper/run.cuh>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/core/contract/matmul_problem.hpp>

#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <variant>

namespace tandem {
namespace cuda_impl {
namespace {

void run_plan(const cuda&, const empty_plan&, const auto&) {}

// Hopper's engines. A build for other architectures lacks them, and none of its plans names them.
void run_plan(const cuda& space, const bf16x_plan&, const matmul_problem<float>& p) {
  if constexpr (has_sm90a) run_bf16x(space, p);
}
template <class T, class In>
void run_plan(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p) {
  if constexpr (has_sm90a) run_wgmma(space, plan, p);
}

template <class T, class In>
void run(const cuda& space, const matmul_problem<T, In>& problem, const matmul_plan<In>& plan) {
  if (std::holds_alternative<empty_plan>(plan.engine)) return;
  if (tandem::detail::explains_plans())
    std::fprintf(stderr, "tandem: %s\n", explain(plan, problem).c_str());
  const matmul_problem<T, In> p = plan.transposes ? transposed(problem) : problem;
  std::visit([&](const auto& engine) { run_plan(space, engine, p); }, plan.engine);
}

template <class T, class In>
void multiply(const cuda& space, const matmul_problem<T, In>& problem) {
  run(space, problem, plan_matmul(problem, planned_device(space)));
}

template <class T, class In>
bool add_chunks(const cuda& space, const matmul_problem<T, In>& problem) {
  matmul_plan<In> plan;
  if constexpr (std::is_same_v<T, In>) {
    plan = plan_fma_continuation(problem, planned_device(space));
  } else {
    plan = plan_tensor_continuation(problem, planned_device(space));
  }
  run(space, problem, plan);
  return !std::holds_alternative<empty_plan>(plan.engine);
}

}  // namespace

matmul_device planned_device(const cuda& space) {
  const device_limits& device = limits(space);
  return {.multiprocessors = device.multiprocessors,
          .compute_capability = device.compute_capability,
          .block_shared = device.block_shared,
          .has_sm90a = has_sm90a};
}

}  // namespace cuda_impl

void dispatch_matmul(const cuda& space, const matmul_problem<float>& problem) {
  cuda_impl::multiply(space, problem);
}
void dispatch_matmul(const cuda& space, const matmul_problem<double>& problem) {
  cuda_impl::multiply(space, problem);
}
void dispatch_matmul(const cuda& space, const matmul_problem<half>& problem) {
  cuda_impl::multiply(space, problem);
}
void dispatch_matmul(const cuda& space, const matmul_problem<float, half>& problem) {
  cuda_impl::multiply(space, problem);
}
void dispatch_matmul(const cuda& space, const matmul_problem<bf16>& problem) {
  cuda_impl::multiply(space, problem);
}
void dispatch_matmul(const cuda& space, const matmul_problem<float, bf16>& problem) {
  cuda_impl::multiply(space, problem);
}
void dispatch_matmul(const cuda& space, const matmul_problem<std::int32_t, std::int8_t>& problem) {
  cuda_impl::multiply(space, problem);
}

bool dispatch_matmul_chunks(const cuda& space, const matmul_problem<float>& problem) {
  return cuda_impl::add_chunks(space, problem);
}
bool dispatch_matmul_chunks(const cuda& space, const matmul_problem<double>& problem) {
  return cuda_impl::add_chunks(space, problem);
}
bool dispatch_matmul_chunks(const cuda& space, const matmul_problem<float, half>& problem) {
  return cuda_impl::add_chunks(space, problem);
}
bool dispatch_matmul_chunks(const cuda& space, const matmul_problem<float, bf16>& problem) {
  return cuda_impl::add_chunks(space, problem);
}

}  // namespace tandem
