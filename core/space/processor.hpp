// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace tandem {

/// A processor or device of this machine that a space of the build runs on, as
/// any_space::processors() lists them. Details are in openmp::cpu_info() and cuda::devices().
struct processor {
  std::string space;       ///< name of the space: "openmp", "cuda"
  int number = 0;          ///< among those of the space: the n of cuda::on_device(n)
  std::string name;        ///< as the vendor calls it; empty where the system does not report it
  int units = 0;           ///< what works in parallel, of `unit`
  std::string unit;        ///< "threads", "multiprocessors"
  std::size_t memory = 0;  ///< bytes in all, used or not

  /// One line: "cuda 0: NVIDIA H200, 132 multiprocessors, 139.8 GiB".
  std::string text() const;
};

}  // namespace tandem
