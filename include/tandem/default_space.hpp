// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Default spaces for editors and other readers of a clone that is not configured: serial and
/// OpenMP. Builds and installations generate a replacement from cmake/default_space.hpp.in.

#include <tandem/core/array.hpp>
#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/space.hpp>

#include <tandem/backends/serial/serial.hpp>
#include <tandem/backends/openmp/openmp.hpp>
#include <tandem/backends/cuda/absent.hpp>

namespace tandem {

/// The space of every call that does not name one.
using default_space = openmp;

/// The space that the current object file is compiled for.
using build_space = default_space;

/// One of the spaces of this build, chosen when the program runs.
using any_space = basic_any_space<void, serial, openmp>;

template <class T, int Rank = 1, class Space = default_space, class Layout = layout_right>
class array;

template <class T, int Rank = 1, class Layout = layout_right,
          class Memory = default_space::memory_type>
class view;

}  // namespace tandem
