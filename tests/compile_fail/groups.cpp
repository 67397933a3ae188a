// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong uses of groups, sharded arrays and streamed operands.
#include <vector>

#include <tandem/distributed.hpp>

using shards = tandem::group<tandem::serial>;

struct doubled {
  template <class X>
  TANDEM_FUNCTION void operator()(tandem::index_t i, const X& x) const {
    x(i) *= 2;
  }
};

void correct_use(const shards& members, std::vector<float>& values) {
  tandem::sharded<float, 1, tandem::serial> x({10}, 1.0f, members);
  tandem::parallel_for(members, 10, doubled{}, x);
  tandem::parallel_for(tandem::streamed(tandem::serial{}), 10, doubled{}, values);
}

#if CASE == 1
// expect: pass_a_sharded_array_as_an_argument_of_the_operation
void view_of_several_memories(const shards& members) {
  tandem::sharded<float, 1, tandem::serial> x({10}, 1.0f, members);
  (void)x.view();
}
#endif

#if CASE == 2
// expect: tandem: operands of an operation on a group are sharded or replicated arrays
void operand_of_the_host(const shards& members, std::vector<float>& values) {
  tandem::parallel_for(members, 10, doubled{}, values);
}
#endif

#if CASE == 3
// expect: tandem: a sharded array has rows: its rank is at least 1
void array_without_rows(const shards& members) {
  tandem::sharded<float, 0, tandem::serial> x(tandem::extents<0>{}, members);
}
#endif

#if CASE == 4
// expect: tandem: the array belongs to a group of another space
void array_of_another_space(const shards& members, const tandem::group<tandem::openmp>& others) {
  tandem::sharded<float, 1, tandem::openmp> x({10}, 1.0f, others);
  tandem::parallel_for(members, 10, doubled{}, x);
}
#endif

#if CASE == 5
// expect: tandem: a sharded array is an operand of operations on its group: pass
void operand_of_one_space(const shards& members) {
  tandem::sharded<float, 2, tandem::serial> x({10, 10}, 1.0f, members);
  tandem::fill(tandem::serial{}, x, 2.0f);
}
#endif

#if CASE == 6
// expect: tandem: a sharded array is an operand of operations on its group: pass
void argument_of_a_loop_on_one_space(const shards& members) {
  tandem::sharded<float, 1, tandem::serial> x({10}, 1.0f, members);
  tandem::parallel_for(tandem::serial{}, 10, doubled{}, x);
}
#endif

#if CASE == 7
// expect: tandem: a sharded array is an operand of operations on its group: pass
float operand_of_the_default_space(const shards& members) {
  const tandem::sharded<float, 1, tandem::serial> x({10}, 1.0f, members);
  return tandem::parallel_reduce(x);
}
#endif

#if CASE == 8
// expect: tandem: narrowing: a floating-point value is given for integers
void fractions_of_integers(const shards& members) {
  tandem::sharded<int, 1, tandem::serial> x({10}, members);
  tandem::iota(members, x, 0.5);
}
#endif
