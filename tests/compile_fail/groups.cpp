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

#if CASE == 9
// expect: on_a_group_operands_are_sharded_results_not_const_and_the_order_that_of_one_space
void operand_of_the_host_of_an_operation(const shards& members, const std::vector<float>& values) {
  (void)tandem::dot(members, values, values);
}
#endif

#if CASE == 10
// expect: on_a_group_operands_are_sharded_results_not_const_and_the_order_that_of_one_space
void const_result(const shards& members, const tandem::sharded<float, 1, tandem::serial>& x) {
  tandem::load(members, "x.npy", x);
}
#endif

#if CASE == 11
// expect: tandem: parallel_scan: y's elements are trivially copyable and not const
void const_prefixes(const shards& members, const tandem::sharded<float, 1, tandem::serial>& x) {
  tandem::parallel_scan(members, x, x);
}
#endif

#if CASE == 12
// expect: tandem: transform on a group: operands are sharded or replicated arrays
void output_of_the_host(const shards& members, std::vector<float>& values) {
  tandem::sharded<float, 1, tandem::serial> x({10}, 1.0f, members);
  tandem::transform(members, x, values, [](float v) { return v; });
}
#endif

#if CASE == 13
// expect: streamed_takes_operands_of_the_host_for_the_operations_that_its_guide_lists
void operation_that_is_not_streamed(std::vector<float>& values) {
  tandem::fill(tandem::streamed(tandem::serial{}), values, 1.0f);
}
#endif

#if CASE == 14
// expect: tandem: out: the operand is const, and is written
void const_output(const std::vector<float>& values) {
  tandem::parallel_for(tandem::streamed(tandem::serial{}), 10, doubled{}, tandem::out(values));
}
#endif

#if CASE == 15
// expect: tandem: narrowing: a floating-point value is given for integers
void fraction_for_integers(const shards& members) {
  tandem::sharded<int, 1, tandem::serial> x({10}, members);
  tandem::fill(members, x, 2.5);
}
#endif

#if CASE == 16
// expect: tandem: copy_if or unique: x and out have one element type, which is not const in out
void const_selection(const shards& members, const tandem::sharded<float, 1, tandem::serial>& x) {
  (void)tandem::unique(members, x, x);
}
#endif

#if CASE == 17
// expect: extents_then_any_value_then_the_group_then_a_cut_halo_or_replicated
void array_of_one_space() {
  const tandem::sharded<float, 1, tandem::serial> x({10}, tandem::serial{});
}
#endif

#if CASE == 18
// expect: on_a_group_operands_are_sharded_results_not_const_and_the_order_that_of_one_space
void const_product(const shards& members, const tandem::sharded<float, 2, tandem::serial>& x) {
  tandem::matmul(members, tandem::transposed(x), x, x);
}
#endif

#if CASE == 19
// expect: tandem: matmul on a group: c of a transposed a has rank 2
void product_without_columns(const shards& members, std::vector<float>& values) {
  tandem::sharded<float, 2, tandem::serial> x({10, 2}, 1.0f, members);
  tandem::matmul(members, tandem::transposed(x), x, values);
}
#endif

#if CASE == 20
// expect: tandem: record: the sequence takes the group to work on
void sequence_without_a_group(const shards& members) {
  tandem::record(members, [] {});
}
#endif

#if CASE == 21
// expect in a note: cast_the_value_to_the_type_of_the_elements
auto sharded_integers_of_one_half(const shards& members) {
  return tandem::sharded<int, 1, tandem::serial>({10}, 0.5, members, tandem::replicated);
}
#endif

#if CASE == 22
// expect: tandem: narrowing: a floating-point value is given for integers
void scan_from_a_fraction(const shards& members) {
  tandem::sharded<int, 1, tandem::serial> x({10}, 1, members);
  tandem::parallel_scan(members, x, x, tandem::sum{}, tandem::exclusive{0.5});
}
#endif

#if CASE == 23
// expect: extents_then_any_value_then_the_group_then_a_cut_halo_or_replicated
void group_before_extents(const shards& members) {
  tandem::sharded<float, 1, tandem::serial> x(members, {10});
}
#endif

#if CASE == 24
// expect: the_budget_is_an_option_in_braces_budget_equals_bytes
void budget_without_a_name() { const tandem::streamed big(tandem::serial{}, std::size_t{1} << 30); }
#endif
