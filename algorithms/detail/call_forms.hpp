// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/space.hpp>
#include <tandem/core/view/subview.hpp>
#include <tandem/core/view/viewable.hpp>

#include <concepts>
#include <iosfwd>

// What a compiler says of a call whose arguments no overload takes, in the wrong order for example:
// one line that names the right ones, instead of every overload with its constraints. An ellipsis
// is the worst match there is, so no call that an overload takes comes here. Deleted, so that
// whether a call compiles can still be asked.

namespace tandem {

namespace detail {

/// Placeholder arguments that nobody passes: compilers print their names when they refuse a call.
/// The space in front, which may be omitted, is not named.
struct adjacent_difference_takes_an_input_then_an_output_then_an_operation {};
struct argmin_argmax_and_norms_take_one_operand {};
struct copy_takes_the_source_and_then_the_destination {};
struct copy_if_takes_x_out_and_a_predicate_or_indices_a_predicate_and_out {};
struct copy_if_into_takes_the_arguments_of_copy_if_and_then_the_count {};
struct dot_takes_two_operands {};
struct fill_takes_an_operand_and_then_a_value {};
struct fill_random_takes_an_operand_then_a_distribution_then_a_seed {};
struct gather_takes_an_input_then_indices_then_an_output {};
struct histogram_takes_values_then_bins_then_counts {};
struct iota_takes_an_output_then_the_first_value_then_a_step {};
struct matmul_takes_a_and_b_and_then_the_product_c {};
struct multiply_takes_a_csr_matrix_then_x_then_y {};
struct nth_element_takes_an_operand_and_then_a_rank {};
struct parallel_for_takes_indices_and_then_a_function {};
struct parallel_reduce_takes_indices_and_a_function_or_an_operand_and_then_a_reducer {};
struct parallel_reduce_into_takes_terms_then_an_axis_if_any_then_a_reducer_then_an_output {};
struct parallel_scan_takes_an_input_then_an_output_then_an_operation {};
struct parallel_teams_takes_a_team_shape_in_braces_teams_then_lanes_and_then_a_kernel {};
struct partial_reduce_takes_a_part_then_its_offset_then_a_reducer {};
struct predicates_come_after_their_operand_or_indices {};
struct random_permutation_and_shuffle_take_an_operand_and_then_a_seed {};
struct reduce_by_key_takes_keys_then_values_then_an_output_for_each_then_a_reducer {};
struct resize_takes_an_array_and_then_extents_in_braces {};
struct reverse_takes_an_operand_or_an_input_and_an_output {};
struct scatter_takes_an_input_then_indices_then_an_output {};
struct scatter_add_takes_indices_then_values_then_an_output {};
struct segmented_reduce_takes_an_input_then_offsets_then_an_output_then_a_reducer {};
struct segmented_scan_takes_an_input_then_offsets_then_an_output_then_an_operation {};
struct sort_takes_keys_and_then_sort_order_ascending_or_descending {};
struct sort_by_key_takes_keys_and_then_values {};
struct subview_takes_an_index_a_slice_or_all_for_each_dimension {};
struct transform_takes_inputs_then_an_output_then_a_function {};
struct unique_takes_an_input_and_then_an_output {};
struct unique_into_takes_an_input_then_an_output_then_the_count {};
struct with_initial_takes_a_reducer_and_then_the_initial_value {};
struct any_space_visit_calls_a_function_with_the_space {};
struct printing_takes_include_tandem_print_hpp {};

/// What prints as an array: tandem's own types, but no container of the standard library.
template <class X>
concept printable_array = is_view<X> || owner_of_elements<const X>;

}  // namespace detail

template <class Form = detail::adjacent_difference_takes_an_input_then_an_output_then_an_operation>
void adjacent_difference(...) = delete;
template <class Form = detail::predicates_come_after_their_operand_or_indices>
void all_of(...) = delete;
template <class Form = detail::predicates_come_after_their_operand_or_indices>
void any_of(...) = delete;
template <class Form = detail::argmin_argmax_and_norms_take_one_operand>
void argmax(...) = delete;
template <class Form = detail::argmin_argmax_and_norms_take_one_operand>
void argmin(...) = delete;
template <class Form = detail::argmin_argmax_and_norms_take_one_operand>
void asum(...) = delete;
template <class Form = detail::copy_takes_the_source_and_then_the_destination>
void copy(...) = delete;
template <class Form = detail::copy_if_takes_x_out_and_a_predicate_or_indices_a_predicate_and_out>
void copy_if(...) = delete;
template <class Form = detail::copy_if_into_takes_the_arguments_of_copy_if_and_then_the_count>
void copy_if_into(...) = delete;
template <class Form = detail::predicates_come_after_their_operand_or_indices>
void count_if(...) = delete;
template <class Form = detail::dot_takes_two_operands>
void dot(...) = delete;
template <class Form = detail::fill_takes_an_operand_and_then_a_value>
void fill(...) = delete;
template <class Form = detail::fill_random_takes_an_operand_then_a_distribution_then_a_seed>
void fill_random(...) = delete;
template <class Form = detail::gather_takes_an_input_then_indices_then_an_output>
void gather(...) = delete;
template <class Form = detail::histogram_takes_values_then_bins_then_counts>
void histogram(...) = delete;
template <class Form = detail::iota_takes_an_output_then_the_first_value_then_a_step>
void iota(...) = delete;
template <class Form = detail::matmul_takes_a_and_b_and_then_the_product_c>
void matmul(...) = delete;
template <class Form = detail::multiply_takes_a_csr_matrix_then_x_then_y>
void multiply(...) = delete;
template <class Form = detail::predicates_come_after_their_operand_or_indices>
void none_of(...) = delete;
template <class Form = detail::argmin_argmax_and_norms_take_one_operand>
void norm2(...) = delete;
template <class Form = detail::argmin_argmax_and_norms_take_one_operand>
void nrm_inf(...) = delete;
template <class Form = detail::nth_element_takes_an_operand_and_then_a_rank>
void nth_element(...) = delete;
template <class Form = detail::parallel_for_takes_indices_and_then_a_function>
void parallel_for(...) = delete;
template <class Form =
              detail::parallel_reduce_takes_indices_and_a_function_or_an_operand_and_then_a_reducer>
void parallel_reduce(...) = delete;
template <
    class Form =
        detail::parallel_reduce_into_takes_terms_then_an_axis_if_any_then_a_reducer_then_an_output>
void parallel_reduce_into(...) = delete;
template <class Form = detail::parallel_scan_takes_an_input_then_an_output_then_an_operation>
void parallel_scan(...) = delete;
template <
    class Form =
        detail::parallel_teams_takes_a_team_shape_in_braces_teams_then_lanes_and_then_a_kernel>
void parallel_teams(...) = delete;
template <class Form = detail::partial_reduce_takes_a_part_then_its_offset_then_a_reducer>
void partial_reduce(...) = delete;
template <class Form = detail::random_permutation_and_shuffle_take_an_operand_and_then_a_seed>
void random_permutation(...) = delete;
template <class Form =
              detail::reduce_by_key_takes_keys_then_values_then_an_output_for_each_then_a_reducer>
void reduce_by_key(...) = delete;
template <class Form = detail::resize_takes_an_array_and_then_extents_in_braces>
void resize(...) = delete;
template <class Form = detail::reverse_takes_an_operand_or_an_input_and_an_output>
void reverse(...) = delete;
template <class Form = detail::scatter_takes_an_input_then_indices_then_an_output>
void scatter(...) = delete;
template <class Form = detail::scatter_add_takes_indices_then_values_then_an_output>
void scatter_add(...) = delete;
template <
    class Form = detail::segmented_reduce_takes_an_input_then_offsets_then_an_output_then_a_reducer>
void segmented_reduce(...) = delete;
template <class Form =
              detail::segmented_scan_takes_an_input_then_offsets_then_an_output_then_an_operation>
void segmented_scan(...) = delete;
template <class Form = detail::random_permutation_and_shuffle_take_an_operand_and_then_a_seed>
void shuffle(...) = delete;
template <class Form = detail::sort_takes_keys_and_then_sort_order_ascending_or_descending>
void sort(...) = delete;
template <class Form = detail::sort_by_key_takes_keys_and_then_values>
void sort_by_key(...) = delete;
template <class Form = detail::transform_takes_inputs_then_an_output_then_a_function>
void transform(...) = delete;
template <class Form = detail::unique_takes_an_input_and_then_an_output>
void unique(...) = delete;
template <class Form = detail::unique_into_takes_an_input_then_an_output_then_the_count>
void unique_into(...) = delete;

template <class Form = detail::with_initial_takes_a_reducer_and_then_the_initial_value>
void with_initial(...) = delete;

// subview() takes anything for a selector; this one is chosen because it is more constrained.
template <viewable X, class... Selector>
  requires(!(std::integral<Selector> || std::convertible_to<const Selector&, all_t> ||
             std::convertible_to<const Selector&, slice>) ||
           ...)
detail::subview_takes_an_index_a_slice_or_all_for_each_dimension subview(X&&, const Selector&...) =
    delete;

// A kernel is compiled for one space, so an any_space has to say first which one it holds.
template <class Default, class... Spaces, class... Argument,
          class Form = detail::any_space_visit_calls_a_function_with_the_space>
void parallel_for(const basic_any_space<Default, Spaces...>&, const Argument&...) = delete;
template <class Default, class... Spaces, class... Argument,
          class Form = detail::any_space_visit_calls_a_function_with_the_space>
void parallel_reduce(const basic_any_space<Default, Spaces...>&, const Argument&...) = delete;
template <class Default, class... Spaces, class... Argument,
          class Form = detail::any_space_visit_calls_a_function_with_the_space>
void transform(const basic_any_space<Default, Spaces...>&, const Argument&...) = delete;

// The operator of <tandem/print.hpp> asks for more, and so comes before this one.
template <class X>
  requires detail::printable_array<X>
detail::printing_takes_include_tandem_print_hpp operator<<(std::ostream&, const X&) = delete;

}  // namespace tandem
