// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/space.hpp>
#include <tandem/core/view/viewable.hpp>

#include <iosfwd>

// What a compiler says of a call whose arguments no overload takes, in the wrong order for example:
// one line that names the right ones, instead of every overload with its constraints. An ellipsis
// is the worst match there is, so no call that an overload takes comes here. Deleted, so that
// whether a call compiles can still be asked.

namespace tandem {

namespace detail {

/// Placeholder arguments that nobody passes: compilers print their names when they refuse a call.
/// The space in front, which may be omitted, is not named.
struct copy_takes_the_source_and_then_the_destination {};
struct copy_if_takes_an_input_then_an_output_then_a_predicate {};
struct fill_takes_an_operand_and_then_a_value {};
struct fill_random_takes_an_operand_then_a_distribution_then_a_seed {};
struct gather_takes_an_input_then_indices_then_an_output {};
struct histogram_takes_values_then_bins_then_counts {};
struct iota_takes_an_output_then_the_first_value_then_a_step {};
struct matmul_takes_a_and_b_and_then_the_product_c {};
struct parallel_for_takes_indices_and_then_a_function {};
struct parallel_reduce_takes_indices_and_a_function_or_an_operand_and_then_a_reducer {};
struct parallel_reduce_into_takes_terms_then_an_axis_if_any_then_a_reducer_then_an_output {};
struct parallel_scan_takes_an_input_then_an_output_then_an_operation {};
struct predicates_come_after_their_operand {};
struct scatter_takes_an_input_then_indices_then_an_output {};
struct sort_takes_keys_and_then_sort_order_ascending_or_descending {};
struct sort_by_key_takes_keys_and_then_values {};
struct transform_takes_inputs_then_an_output_then_a_function {};
struct unique_takes_an_input_and_then_an_output {};
struct any_space_visit_calls_a_function_with_the_space {};
struct printing_takes_include_tandem_print_hpp {};

/// What prints as an array: tandem's own types, but no container of the standard library.
template <class X>
concept printable_array = is_view<X> || owner_of_elements<const X>;

}  // namespace detail

template <class Form = detail::predicates_come_after_their_operand>
void all_of(...) = delete;
template <class Form = detail::predicates_come_after_their_operand>
void any_of(...) = delete;
template <class Form = detail::copy_takes_the_source_and_then_the_destination>
void copy(...) = delete;
template <class Form = detail::copy_if_takes_an_input_then_an_output_then_a_predicate>
void copy_if(...) = delete;
template <class Form = detail::predicates_come_after_their_operand>
void count_if(...) = delete;
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
template <class Form = detail::predicates_come_after_their_operand>
void none_of(...) = delete;
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
template <class Form = detail::scatter_takes_an_input_then_indices_then_an_output>
void scatter(...) = delete;
template <class Form = detail::sort_takes_keys_and_then_sort_order_ascending_or_descending>
void sort(...) = delete;
template <class Form = detail::sort_by_key_takes_keys_and_then_values>
void sort_by_key(...) = delete;
template <class Form = detail::transform_takes_inputs_then_an_output_then_a_function>
void transform(...) = delete;
template <class Form = detail::unique_takes_an_input_and_then_an_output>
void unique(...) = delete;

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
