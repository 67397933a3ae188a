// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/docking/kernel.hpp>

namespace perf::docking_openmp {

/// Poses whose energies stay in vector registers.
constexpr int width = 64;

/// The poses of one block, as transforms along vectors of poses.
struct pose_block {
  pose_block(const float* poses, int n, int first) {
    for (int p = 0; p < width; ++p) {
      const float* const at = poses + first + p;
      const pose_matrix pose =
          make_pose({at[0], at[n], at[2 * n]}, {at[3 * n], at[4 * n], at[5 * n]});
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) matrix[r][c][p] = pose.row[r][c];
      }
    }
  }

  /// Coordinate r of a point in all poses.
  void move(int r, float x, float y, float z, float (&to)[width]) const {
#pragma omp simd
    for (int p = 0; p < width; ++p) {
      to[p] = tandem::fma(
          matrix[r][0][p], x,
          tandem::fma(matrix[r][1][p], y, tandem::fma(matrix[r][2][p], z, matrix[r][3][p])));
    }
  }

  float matrix[3][4][width];
};

docking_atom atom_at(const float* of, int n, int i) {
  return {of[i], of[n + i], of[2 * n + i], 1.5f + 0.0625f * of[3 * n + i], of[4 * n + i]};
}

void dock_by_hand(docking<openmp>& kernel) {
  const float* const poses = kernel.poses.data_handle();
  const float* const ligand = kernel.ligand.data_handle();
  const float* const protein = kernel.protein.data_handle();
  float* const energy = kernel.energy.data_handle();
  const auto n = static_cast<int>(kernel.energy.size());
#pragma omp parallel for schedule(static)
  for (int first = 0; first < n; first += width) {
    const pose_block block(poses, n, first);
    float sum[width] = {};
    for (int l = 0; l < ligand_atoms; ++l) {
      const docking_atom moved = atom_at(ligand, ligand_atoms, l);
      float x[width];
      float y[width];
      float z[width];
      block.move(0, moved.x, moved.y, moved.z, x);
      block.move(1, moved.x, moved.y, moved.z, y);
      block.move(2, moved.x, moved.y, moved.z, z);
      for (int a = 0; a < protein_atoms; ++a) {
        const docking_atom fixed = atom_at(protein, protein_atoms, a);
        const float radii = moved.radius + fixed.radius;
        const float charges = moved.charge * fixed.charge;
#pragma omp simd
        for (int p = 0; p < width; ++p)
          sum[p] =
              add_energy(sum[p], x[p] - fixed.x, y[p] - fixed.y, z[p] - fixed.z, radii, charges);
      }
    }
    for (int p = 0; p < width; ++p) energy[first + p] = sum[p];
  }
}

const registration all(list_kernel<openmp, docking<openmp>, dock_by_hand>);

}  // namespace perf::docking_openmp
