// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file by itself, because linkers take the files of a library one by one, and without the header,
// which would make it an object of some kind: see core/kernel/link_guard.hpp.

extern "C" {
extern const char tandem_object_for_the_checked_runtime;
extern const char tandem_objects_differ_about_tandem_checked;
}

const char tandem_object_for_the_checked_runtime = 0;
const char tandem_objects_differ_about_tandem_checked = 0;
