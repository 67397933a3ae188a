// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/f32_f64.hpp>
#include <tandem/backends/cuda/matmul/plan/tensor.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

/// Plans any product and explains the plan. Plain C++, tested on the host.
namespace tandem::cuda_impl {

namespace detail {

/// Plans a product of floats through their bf16 components, if requested and supported by the
/// device. Otherwise plans it in full precision and records why.
inline matmul_plan<float> plan_bf16x(const matmul_problem<float>& p, const matmul_device& device) {
  if (reason_for_reference(p) != nullptr) return plan_fma(p, device);
  const bool six = p.precision == matmul_precision::bf16x6;
  if (device.runs_sm90a())
    return {.engine = bf16x_plan{six ? 6 : 9, six ? "bf16x6, asked for" : "bf16x9, asked for"}};
  matmul_plan<float> plan = plan_fma(p, device);
  plan.fallback = "bf16 components need wgmma";
  return plan;
}

/// Plans a product of floats as tf32, or in full precision if the device does not support tf32.
inline matmul_plan<float> plan_tf32(const matmul_problem<float>& p, const matmul_device& device) {
  const bool asks = p.kernel == matmul_kernel::automatic;
  if (asks && has_mma<float>(device)) return plan_tensor(p, device);
  matmul_plan<float> plan = plan_fma(p, device);
  if (asks) plan.fallback = "tf32 needs mma.sync of Ampere or later";
  return plan;
}

}  // namespace detail

/// Plans a problem on a device. Reads only the problem, including the addresses of its operands.
template <class T, class In>
matmul_plan<In> plan_matmul(const matmul_problem<T, In>& p, const matmul_device& device) {
  if (p.batch == 0 || p.m == 0 || p.n == 0) return {};
  if constexpr (std::is_same_v<In, float>) {
    using enum matmul_precision;
    if (p.precision == bf16x6 || p.precision == bf16x9) return detail::plan_bf16x(p, device);
    if (p.precision == tf32) return detail::plan_tf32(p, device);
    return plan_fma(p, device);
  } else if constexpr (std::is_same_v<In, double>) {
    return plan_fma(p, device);
  } else {
    return plan_tensor(p, device);
  }
}

namespace detail {

/// The name of a plan's kernel, for elements of In.
template <class In>
struct kernel_name {
  std::string operator()(const empty_plan&) const { return "no kernel"; }
  std::string operator()(const reference_plan& plan) const {
    return plan.kernel == matmul_kernel::tiled ? "matmul tiled" : "matmul naive";
  }
  std::string operator()(const fma_plan& plan) const {
    return matmul_candidates<In>()[static_cast<std::size_t>(plan.candidate)].name;
  }
  std::string operator()(const few_rows_plan& plan) const {
    return plan.b_k_major ? "matmul few rows, b along k" : "matmul few rows, b along n";
  }
  std::string operator()(const batched_plan& plan) const {
    return batched_candidates<In>()[static_cast<std::size_t>(plan.candidate)].name;
  }
  std::string operator()(const mma_plan& plan) const {
    constexpr const char* names[] = {"matmul mma.sync 128x128", "matmul mma.sync 64x64",
                                     "matmul mma.sync 32x32"};
    return names[plan.tile];
  }
  std::string operator()(const tensor_plan& plan) const {
    const auto tile = static_cast<std::size_t>(plan.tile);
    return std::string("matmul ") + hopper_tiles(tensor_type_of<In>)[tile].name;
  }
  std::string operator()(const bf16x_plan& plan) const {
    return "matmul bf16x" + std::to_string(plan.products) + " 128x128";
  }
};

/// What a plan does besides its kernel: slices of k and copies of operands.
struct kernel_details {
  static std::string of(index_t slices, bool packs_a, bool packs_b) {
    std::string text;
    if (slices > 1) text += ", k in " + std::to_string(slices) + " slices";
    if (packs_a) text += ", a copied";
    if (packs_b) text += ", b copied";
    return text;
  }
  std::string operator()(const fma_plan& plan) const {
    return of(plan.split_k_slices, false, plan.pack_b);
  }
  std::string operator()(const few_rows_plan& plan) const {
    return of(plan.split_k_slices, false, false);
  }
  std::string operator()(const mma_plan& plan) const {
    return of(plan.split_k_slices, plan.pack_a, plan.pack_b);
  }
  std::string operator()(const tensor_plan& plan) const {
    return of(plan.split_k_slices, plan.a.packed, plan.b.packed);
  }
  template <class Plan>
  std::string operator()(const Plan&) const {
    return "";
  }
};

}  // namespace detail

/// Describes a problem's plan in one line: the kernel, the extents, what runs besides it, and the
/// reason.
template <class T, class In>
std::string explain(const matmul_plan<In>& plan, const matmul_problem<T, In>& p) {
  std::string text = std::visit(detail::kernel_name<In>{}, plan.engine) + " for " +
                     std::to_string(p.batch) + " of m " + std::to_string(p.m) + ", n " +
                     std::to_string(p.n) + ", k " + std::to_string(p.k);
  text += std::visit(detail::kernel_details{}, plan.engine);
  if (plan.transposes) text += ", c transposed";
  text +=
      std::visit([](const auto& engine) { return std::string(": ") + engine.reason; }, plan.engine);
  if (*plan.fallback != '\0') text += std::string("; ") + plan.fallback;
  return text;
}

}  // namespace tandem::cuda_impl
