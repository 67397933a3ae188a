// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>

/// Objects of one program must agree about TANDEM_CHECKED, since they share templates of which a
/// linker keeps one. Every object of a user refers to the symbol of its kind. The library has a
/// file for each kind, and all of these define tandem_objects_differ_about_tandem_checked: if
/// objects of two kinds meet, a linker reports that this symbol is defined twice. Libraries that
/// are shared define it nowhere, because a linker takes all files of a shared library or none.
///
/// tandem's libraries are of no kind (TANDEM_LIBRARY): they work with objects of each.
#ifndef TANDEM_LIBRARY

extern "C" {
extern const char tandem_object_without_checks;
extern const char tandem_object_with_bounds_checks;
extern const char tandem_object_for_the_checked_runtime;
}

namespace tandem::detail {

// A name for each kind, because a linker merges variables of the same name.
#if TANDEM_CHECKED > 1
[[gnu::used]] inline const char* const checked_runtime_kind =
    &tandem_object_for_the_checked_runtime;
#elif TANDEM_CHECKED
[[gnu::used]] inline const char* const bounds_checks_kind = &tandem_object_with_bounds_checks;
#else
[[gnu::used]] inline const char* const without_checks_kind = &tandem_object_without_checks;
#endif

}  // namespace tandem::detail

#endif
