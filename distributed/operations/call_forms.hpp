// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed/group/group.hpp>
#include <tandem/distributed/stream/streamed.hpp>

// What a compiler says of a call on a group or a streamed space whose arguments no overload takes:
// one line, as algorithms/detail/call_forms.hpp does for one space, which these precede.

namespace tandem {

namespace detail {

/// Placeholder arguments that nobody passes: compilers print their names when they refuse a call.
struct on_a_group_operands_are_sharded_results_not_const_and_the_order_that_of_one_space {};
struct streamed_takes_operands_of_the_host_for_the_operations_that_its_guide_lists {};

template <class Space>
struct call_form_of {};
template <class Space>
struct call_form_of<group<Space>> {
  using type = on_a_group_operands_are_sharded_results_not_const_and_the_order_that_of_one_space;
};
template <class Space>
struct call_form_of<streamed<Space>> {
  using type = streamed_takes_operands_of_the_host_for_the_operations_that_its_guide_lists;
};
template <class Space>
using call_form = typename call_form_of<Space>::type;

}  // namespace detail

template <class Space, class Form = detail::call_form<Space>>
void adjacent_difference(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void all_of(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void any_of(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void argmax(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void argmin(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void asum(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void copy(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void copy_if(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void copy_if_into(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void count_if(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void dot(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void exchange(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void fill(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void fill_random(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void gather(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void histogram(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void iota(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void load(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void matmul(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void multiply(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void none_of(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void norm2(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void nrm_inf(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void nth_element(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void parallel_for(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void parallel_reduce(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void parallel_reduce_into(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void parallel_scan(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void parallel_teams(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void partial_reduce(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void random_permutation(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void reduce_by_key(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void reverse(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void save(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void scatter(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void scatter_add(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void segmented_reduce(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void segmented_scan(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void shuffle(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void sort(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void sort_by_key(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void to_vector(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void transform(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void unique(const Space&, ...) = delete;
template <class Space, class Form = detail::call_form<Space>>
void unique_into(const Space&, ...) = delete;

}  // namespace tandem
