// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong operands of files. tests/checks/check_compile_fail.py compiles each case.
#include <string>

#include <tandem/distributed.hpp>

using line = tandem::array<float, 1, tandem::serial>;
using device_line = tandem::view<float, 1, tandem::layout_right, tandem::device_memory>;
const tandem::serial space;

void correct_use(const line& x, line& y) {
  const tandem::mapped<const float> file("x.npy");
  tandem::copy(space, file, y);
  tandem::save(space, x, "x.npy");
  tandem::load(space, "x.npy", y);
}

#if CASE == 1
// expect: tandem: load: the destination is const
void load_into_a_const_array(const line& x) { tandem::load(space, "x.npy", x); }
#endif

#if CASE == 2
// expect: tandem: save: only a space of the device can reach memory of a device
void save_of_memory_of_a_device(const device_line& x) { tandem::save(space, x, "x.npy"); }
#endif

#if CASE == 3
// expect: tandem: load: only a space of the device can reach memory of a device
void load_into_memory_of_a_device(const device_line& x) { tandem::load(space, "x.npy", x); }
#endif

#if CASE == 4
// expect: tandem: a view of a temporary array or container would outlive its elements
float sum_of_a_temporary_file() {
  return tandem::parallel_reduce(space, tandem::mapped<const float>("x.npy"));
}
#endif

#if CASE == 5
// expect: tandem: files hold bits: elements must be trivially copyable
void file_of_strings() { const tandem::mapped<std::string> file("x.raw"); }
#endif
