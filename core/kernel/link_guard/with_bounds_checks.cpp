// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file by itself, because linkers take the files of a library one by one, and without the header,
// which would make it an object of some kind: see core/kernel/link_guard.hpp.

extern "C" {
extern const char tandem_object_with_bounds_checks;
extern const char tandem_objects_differ_about_tandem_checked;
}

const char tandem_object_with_bounds_checks = 0;
#ifndef tandem_core_EXPORTS  // CMake defines it in a shared library
const char tandem_objects_differ_about_tandem_checked = 0;
#endif
