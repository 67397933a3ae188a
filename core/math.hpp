// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Functions with one right answer, under the names of <cmath> in namespace tandem: equal bits on
/// every backend. Those of float are correctly rounded, those of double below 1 ulp; half and bf16
/// go through float (docs/numerics.md).
///
/// They are inlined always, so that loops of them are made vectors of. Where a function object is
/// wanted, write a lambda: g++ at -O1 refuses calls by the address of such a function, unless it
/// is told -findirect-inlining, which is part of -O2.
#include <tandem/core/math/elementary.hpp>
#include <tandem/core/math/error_function.hpp>
#include <tandem/core/math/exponential.hpp>
#include <tandem/core/math/hyperbolic.hpp>
#include <tandem/core/math/inverse_trigonometric.hpp>
#include <tandem/core/math/logarithm.hpp>
#include <tandem/core/math/power.hpp>
#include <tandem/core/math/roots.hpp>
#include <tandem/core/math/rounding.hpp>
#include <tandem/core/math/trigonometric.hpp>
