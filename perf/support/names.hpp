// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/tandem.hpp>

/// The names of tandem that nearly every benchmark uses.
namespace perf {

using tandem::array;
using tandem::cuda;
using tandem::extents;
using tandem::index_t;
using tandem::openmp;
using tandem::serial;

}  // namespace perf
