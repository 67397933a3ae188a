// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// Atoms of the small molecule and of the protein in which it is placed.
inline constexpr int ligand_atoms = 24;
inline constexpr int protein_atoms = 512;

/// An atom of either molecule.
struct docking_atom {
  float x;
  float y;
  float z;
  float radius;
  float charge;
};

/// The transform of a pose: the rows of its rotation, each followed by the shift along one axis.
struct pose_matrix {
  float row[3][4];
};

/// The matrix of a pose given by the angles about x, y and z and a shift.
TANDEM_FUNCTION inline pose_matrix make_pose(const float (&angle)[3], const float (&shift)[3]) {
  const float sx = tandem::sin(angle[0]);
  const float cx = tandem::cos(angle[0]);
  const float sy = tandem::sin(angle[1]);
  const float cy = tandem::cos(angle[1]);
  const float sz = tandem::sin(angle[2]);
  const float cz = tandem::cos(angle[2]);
  return {{{cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz, shift[0]},
           {cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz, shift[1]},
           {-sy, sx * cy, cx * cy, shift[2]}}};
}

/// `so_far` and the energy of a pair of atoms: a linear repulsion if they overlap, and the
/// interaction of their charges, constant inside, that falls to zero at a gap of 4.
TANDEM_FUNCTION inline float add_energy(float so_far, float dx, float dy, float dz, float radii,
                                        float charges) {
  const float squared = tandem::fma(dx, dx, tandem::fma(dy, dy, dz * dz));
  const float gap = tandem::sqrt(squared) - radii;
  const float repulsion = gap < 0.0f ? -38.0f * gap : 0.0f;
  const float faded = 1.0f - 0.25f * gap;
  const float share = gap < 0.0f ? 1.0f : faded > 0.0f ? faded : 0.0f;
  return so_far + tandem::fma(charges, share, repulsion);
}

/// Energies of poses of a molecule in a protein, summed over all pairs of atoms: a rigid-body
/// docking score, many registers per pose and no memory traffic. An index works on `together` poses
/// at a time, so that each atom of the protein is loaded once for all of them: vectors of poses on
/// a CPU, registers on a GPU. The number of poses is a multiple of 64.
template <class Space>
struct docking {
  static constexpr const char* name = "docking";
  static constexpr const char* type = "f32";
  static constexpr int together = Space::memory_type::host_accessible ? 64 : 4;

  static inline const kernel_sizes sizes{{{1024}, {2048}, {8192}}, {{65536}}};
  /// 15 operations a pair of atoms.
  static constexpr kernel_cost cost_each{.flops = 15.0 * ligand_atoms * protein_atoms};

  docking(const Space& space, const kernel_size& size)
      : poses(filled(space, 6 * size[0], values_between{1, -3, 3})),
        ligand(filled(space, 5 * ligand_atoms, values_between{2, -2, 2})),
        protein(filled(space, 5 * protein_atoms, values_between{3, -8, 8})),
        energy(extents<1>(size[0]), space) {}

  void reset(const Space& space) { tandem::fill(space, energy, 0.0f); }
  outcome result(const Space& space) { return summary(space, energy.view()); }

  void run(const Space& space) {
    const auto of_pose = poses.const_view();
    const auto of_ligand = ligand.const_view();
    const auto of_protein = protein.const_view();
    const auto out = energy.view();
    const auto n = static_cast<int>(out.size());
    tandem::parallel_for(
        space, n / together, TANDEM_LAMBDA(int block) {
          const int first = block * together;
          constexpr auto width = static_cast<std::size_t>(together);
          float matrix[3][4][width];
          float sum[width] = {};
          for (int p = 0; p < together; ++p) {
            const auto value = [&](int k) { return of_pose(k * n + first + p); };
            const pose_matrix pose =
                make_pose({value(0), value(1), value(2)}, {value(3), value(4), value(5)});
            for (int r = 0; r < 3; ++r) {
              for (int c = 0; c < 4; ++c) matrix[r][c][p] = pose.row[r][c];
            }
          }
          for (int l = 0; l < ligand_atoms; ++l) {
            const docking_atom moved = atom(of_ligand, ligand_atoms, l);
            float at[3][width];
            for (int r = 0; r < 3; ++r) {
              for (int p = 0; p < together; ++p) {
                at[r][p] = tandem::fma(
                    matrix[r][0][p], moved.x,
                    tandem::fma(matrix[r][1][p], moved.y,
                                tandem::fma(matrix[r][2][p], moved.z, matrix[r][3][p])));
              }
            }
            for (int a = 0; a < protein_atoms; ++a) {
              const docking_atom fixed = atom(of_protein, protein_atoms, a);
              const float radii = moved.radius + fixed.radius;
              const float charges = moved.charge * fixed.charge;
              for (int p = 0; p < together; ++p)
                sum[p] = add_energy(sum[p], at[0][p] - fixed.x, at[1][p] - fixed.y,
                                    at[2][p] - fixed.z, radii, charges);
            }
          }
          for (int p = 0; p < together; ++p) out(first + p) = sum[p];
        });
  }

  /// Atom i of n: coordinates, radius (from 1 to 2) and charge.
  template <class View>
  TANDEM_FUNCTION static docking_atom atom(const View& of, int n, int i) {
    return {of(i), of(n + i), of(2 * n + i), 1.5f + 0.0625f * of(3 * n + i), of(4 * n + i)};
  }

  array<float, 1, Space> poses;    ///< angles about x, y, z, shifts; pose fastest
  array<float, 1, Space> ligand;   ///< five lists: x, y, z, radius, charge
  array<float, 1, Space> protein;  ///< likewise
  array<float, 1, Space> energy;
};

}  // namespace perf
