// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Functions with one right answer, under the names of <cmath> in namespace tandem: equal bits on
/// every backend. Functions of float are correctly rounded, functions of double have errors below 1
/// ulp; half and bf16 are computed in float (docs/numerics.md).
///
/// They are always inlined, so that loops over them can be vectorised. If you need a function
/// object, write a lambda: at -O1, g++ refuses calls through the address of such a function without
/// -findirect-inlining, which is part of -O2.
#include <tandem/core/math/elementary.hpp>
#include <tandem/core/math/error_function.hpp>
#include <tandem/core/math/exponential.hpp>
#include <tandem/core/math/hyperbolic.hpp>
#include <tandem/core/math/inverse_trigonometric.hpp>
#include <tandem/core/math/logarithm.hpp>
#include <tandem/core/math/power.hpp>
#include <tandem/core/math/refused_calls.hpp>
#include <tandem/core/math/roots.hpp>
#include <tandem/core/math/rounding.hpp>
#include <tandem/core/math/trigonometric.hpp>
