// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Prints views and arrays with `out << x` and, if the standard library supports it, std::format.
/// This header is not part of tandem.hpp because streams cost compile time.

// Macros of <windows.h> and others.
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max

#include <tandem/algorithms/detail/call_forms.hpp>
#include <tandem/algorithms/support/mirror.hpp>
#include <tandem/core/numbers/complex.hpp>
#include <tandem/core/numbers/half.hpp>

#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#if __has_include(<format>)
#include <format>
#endif

namespace tandem {

namespace detail {

/// NumPy's rules (np.set_printoptions): of more than `threshold` elements, only the first and last
/// `edge` of each dimension are shown; lines have at most `columns` characters.
inline constexpr index_t print_threshold = 1000;
inline constexpr index_t print_edge = 3;
inline constexpr std::size_t print_columns = 75;

/// Formats an element as streams print numbers.
template <class T>
auto printable(const T& x) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 1) {
    return static_cast<int>(x);
  } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bf16>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

/// Formats a complex element as NumPy does, "1.5-2j", and others with one call of to_text.
template <class ToText, class T>
std::string element_text(const ToText& to_text, const T& x) {
  if constexpr (is_any_complex<T>) {
    std::string imaginary = to_text(x.imag());
    imaginary.erase(0, imaginary.find_first_not_of(' '));
    const bool has_sign = imaginary.starts_with('-') || imaginary.starts_with('+');
    return to_text(x.real()) + (has_sign ? "" : "+") + imaginary + "j";
  } else {
    return to_text(printable(x));
  }
}

/// Lays out the elements of a host view as NumPy does, in columns of equal width.
template <class View>
class array_layout {
 public:
  /// @param to_text  called with each element shown, in row-major order; of complex elements with
  ///                 the parts
  template <class ToText>
  array_layout(const View& v, const ToText& to_text)
      : view_(v), summarised_(v.size() > print_threshold) {
    collect(0, 0, to_text);
    for (const std::string& text : texts_) width_ = text.size() > width_ ? text.size() : width_;
  }

  std::string text() {
    next_ = 0;
    write(0);
    return std::move(out_);
  }

 private:
  /// Calls f(index) for the indices of dimension d that are shown, and gap() in place of the
  /// omitted ones.
  template <class Function, class Gap>
  void for_each_shown(int d, const Function& f, const Gap& gap) const {
    const index_t extent = view_.extent(d);
    const bool cut = summarised_ && extent > 2 * print_edge;
    for (index_t i = 0; i < extent; ++i) {
      if (cut && i == print_edge) {
        gap();
        i = extent - print_edge;
      }
      f(i);
    }
  }

  template <class ToText>
  void collect(int d, index_t offset, const ToText& to_text) {
    if (d == View::rank()) {
      texts_.push_back(element_text(to_text, view_.data_handle()[offset]));
      return;
    }
    for_each_shown(
        d, [&](index_t i) { collect(d + 1, offset + i * view_.stride(d), to_text); }, [] {});
  }

  void write(int d) {
    if (d == View::rank()) {
      const std::string& text = texts_[next_++];
      out_.append(width_ - text.size(), ' ').append(text);
      return;
    }
    out_ += '[';
    bool first = true;
    const auto separate = [&](std::size_t width) {
      if (!first) break_line(d, width);
      first = false;
    };
    for_each_shown(
        d,
        [&](index_t) {
          separate(width_);
          write(d + 1);
        },
        [&] {
          separate(3);
          out_ += "...";
        });
    out_ += ']';
  }

  /// Separates two entries of dimension d by a blank, or by a new line if the next one is a row or
  /// does not fit.
  void break_line(int d, std::size_t width) {
    const int inner = View::rank() - 1 - d;
    const std::size_t line = out_.size() - (out_.rfind('\n') + 1);
    if (inner == 0 && line + 1 + width < print_columns) {
      out_ += ' ';
    } else {
      out_.append(static_cast<std::size_t>(inner > 0 ? inner : 1), '\n');
      out_.append(static_cast<std::size_t>(d + 1), ' ');
    }
  }

  const View& view_;
  bool summarised_;
  std::vector<std::string> texts_;
  std::size_t width_ = 0;
  std::size_t next_ = 0;
  std::string out_;
};

/// Formats an operand; elements in device memory are copied through the default space.
template <class X, class ToText>
std::string array_text(const X& x, const ToText& to_text) {
  using View = as_view_t<const X&>;
  if constexpr (View::memory_type::host_accessible) {
    const View v = as_view(x);
    require_data("print", "x", v);
    return v.empty() ? "[]" : array_layout<View>(v, to_text).text();
  } else {
    constexpr bool copies = can_access<default_space, typename View::memory_type>;
    static_assert(copies,
                  "tandem: the host cannot print memory of a device: print mirror(space, x)");
    if constexpr (copies) return array_text(mirror(x), to_text);
  }
}

/// Constrains the operator below more strongly than the deleted one of call_forms.hpp.
template <class>
inline constexpr bool has_printer = true;

}  // namespace detail

/// Prints the elements of a view or array to `out` as NumPy does: rows in brackets, columns of one
/// width, and of more than 1000 elements the first and last three of each dimension.
///
///   #include <tandem/print.hpp>
///   std::cout << std::setprecision(3) << x << '\n';
///
/// Elements are written with the stream's precision and flags, complex ones as 1.5-2j. The default
/// space first copies a whole device array to the host; if the default space is a host space, print
/// tandem::mirror(space, x) instead. Errors: argument_error if x has elements but no memory.
template <class X>
  requires(detail::printable_array<X> && detail::has_printer<X>)
std::ostream& operator<<(std::ostream& out, const X& x) {
  return out << detail::array_text(x, [&](const auto& element) {
           std::ostringstream text;
           text.copyfmt(out);
           text.width(0);
           text << element;
           return text.str();
         });
}

}  // namespace tandem

#if defined(__cpp_lib_format)

/// Formats a view or array as operator<< prints it; the format after the colon applies to each
/// element, as in std::format("{:.3f}", x).
template <tandem::detail::printable_array X>
struct std::formatter<X, char> {
  constexpr auto parse(std::format_parse_context& context) {
    auto end = context.begin();
    while (end != context.end() && *end != '}') ++end;
    specification_ = "{:" + std::string(context.begin(), end) + "}";
    return end;
  }

  template <class Context>
  auto format(const X& x, Context& context) const {
    const std::string text = tandem::detail::array_text(x, [&](const auto& element) {
      return std::vformat(specification_, std::make_format_args(element));
    });
    return std::format_to(context.out(), "{}", text);
  }

 private:
  std::string specification_ = "{:}";
};

#endif

#pragma pop_macro("max")
#pragma pop_macro("min")
