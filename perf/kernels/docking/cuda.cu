// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/docking/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::docking_cuda {

constexpr int threads = 64;
/// Poses of a thread, whose transforms and energies are in registers; a block has
/// threads * poses_each, a block's neighbours in memory those of its threads.
constexpr int poses_each = 4;
constexpr int poses_of_block = threads * poses_each;

/// The atoms of both molecules are staged in shared memory, position and radius in a word of 16
/// bytes.
struct staged_atoms {
  float4 place[ligand_atoms + protein_atoms];
  float charge[ligand_atoms + protein_atoms];
};

__device__ void stage(staged_atoms& to, int at, const float* __restrict__ of, int n) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += threads) {
    to.place[at + i] = make_float4(of[i], of[n + i], of[2 * n + i], 1.5f + 0.0625f * of[3 * n + i]);
    to.charge[at + i] = of[4 * n + i];
  }
}

__device__ float3 move_by(const pose_matrix& pose, float4 to) {
  const auto coordinate = [&](const float(&row)[4]) {
    return tandem::fma(row[0], to.x, tandem::fma(row[1], to.y, tandem::fma(row[2], to.z, row[3])));
  };
  return make_float3(coordinate(pose.row[0]), coordinate(pose.row[1]), coordinate(pose.row[2]));
}

__global__ void __launch_bounds__(threads)
    dock_kernel(const float* __restrict__ poses, const float* __restrict__ ligand,
                const float* __restrict__ protein, float* __restrict__ energy, int n) {
  __shared__ staged_atoms atoms;
  stage(atoms, 0, ligand, ligand_atoms);
  stage(atoms, ligand_atoms, protein, protein_atoms);
  __syncthreads();
  const int first = static_cast<int>(blockIdx.x) * poses_of_block + static_cast<int>(threadIdx.x);
  pose_matrix pose[poses_each];
  float sum[poses_each] = {};
#pragma unroll
  for (int p = 0; p < poses_each; ++p) {
    const int i = first + p * threads < n ? first + p * threads : n - 1;
    pose[p] = make_pose({poses[i], poses[n + i], poses[2 * n + i]},
                        {poses[3 * n + i], poses[4 * n + i], poses[5 * n + i]});
  }
  for (int l = 0; l < ligand_atoms; ++l) {
    const float4 moved = atoms.place[l];
    const float charge = atoms.charge[l];
    float3 at[poses_each];
#pragma unroll
    for (int p = 0; p < poses_each; ++p) at[p] = move_by(pose[p], moved);
#pragma unroll 2
    for (int a = ligand_atoms; a < ligand_atoms + protein_atoms; ++a) {
      const float4 fixed = atoms.place[a];
      const float radii = moved.w + fixed.w;
      const float charges = charge * atoms.charge[a];
#pragma unroll
      for (int p = 0; p < poses_each; ++p)
        sum[p] = add_energy(sum[p], at[p].x - fixed.x, at[p].y - fixed.y, at[p].z - fixed.z, radii,
                            charges);
    }
  }
#pragma unroll
  for (int p = 0; p < poses_each; ++p) {
    if (first + p * threads < n) energy[first + p * threads] = sum[p];
  }
}

void dock_by_hand(docking<cuda>& kernel, cudaStream_t stream) {
  const auto n = static_cast<int>(kernel.energy.size());
  dock_kernel<<<blocks_for(n, poses_of_block), threads, 0, stream>>>(
      kernel.poses.data_handle(), kernel.ligand.data_handle(), kernel.protein.data_handle(),
      kernel.energy.data_handle(), n);
  check_launch("docking");
}

const registration all(list_kernel<cuda, docking<cuda>, dock_by_hand>);

}  // namespace perf::docking_cuda
