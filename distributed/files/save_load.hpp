// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/files/npy.hpp>
#include <tandem/core/memory/host_memory.hpp>
#include <tandem/distributed/operations/copy.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

/// Elements of operands of any space, and of sharded arrays, on their way to files and back.
namespace tandem {

namespace detail {

/// A new file, and the position of its first element.
struct element_file {
  file of;
  std::size_t begin;

  template <class T>
  void write(const T* data, index_t count, index_t first) const {
    of.write(data, static_cast<std::size_t>(count) * sizeof(T),
             begin + static_cast<std::size_t>(first) * sizeof(T));
  }
};

template <class T, int Rank>
element_file create_elements(const std::string& path, extents<Rank> sizes) {
  static_assert(Rank >= 1, "tandem: save: the operand has at least one dimension");
  auto created = file::create("save", path);
  const std::string header = header_of(created, element_in_files<T>(), Rank, &sizes[0]);
  created.write(header.data(), header.size(), 0);
  return {std::move(created), header.size()};
}

/// The elements of a file, in the file's order.
template <class T>
struct elements_in_file {
  file from;
  std::size_t bytes;  ///< of the file, up to the last element
  memory_map map;
  const T* data;

  /// Throws file_error if the file has become shorter since it was opened.
  void require_complete() const {
    const std::size_t now = from.size();
    if (now < bytes)
      from.fail({"has become shorter: it ends at byte ", now, ", before byte ", bytes});
  }
};

template <class T, int Rank>
elements_in_file<T> open_elements(const std::string& path, extents<Rank> sizes) {
  static_assert(Rank >= 1, "tandem: load: the operand has at least one dimension");
  const auto bytes = static_cast<std::size_t>(bytes_of_extents("load", sizes, sizeof(T)));
  file opened("load", path, false);
  const std::size_t begin = find_elements(opened, element_in_files<T>(), Rank, &sizes[0], true);
  memory_map map(opened, begin + bytes, false);
  const auto* const data = reinterpret_cast<const T*>(map.data() + begin);
  return {std::move(opened), begin + bytes, std::move(map), data};
}

/// Calls f(part, first) for parts of a view of at most `most` elements, in row-major order, with
/// the number of their first element.
template <class View, class Function>
void for_each_piece(const View& v, index_t first, index_t most, const Function& f) {
  const index_t rows = v.extent(0);
  const index_t row = rows == 0 ? 0 : v.size() / rows;
  if (row == 0) return;
  if constexpr (View::rank() > 1) {
    if (row > most) {
      for (index_t j = 0; j < rows; ++j) {
        [&]<std::size_t... D>(std::index_sequence<D...>) {
          for_each_piece(subview(v, j, ((void)D, all)...), first + j * row, most, f);
        }(std::make_index_sequence<static_cast<std::size_t>(View::rank() - 1)>{});
      }
      return;
    }
  }
  const index_t step = std::max<index_t>(most / row, 1);
  for (index_t j = 0; j < rows; j += step)
    f(rows_of_view(v, {j, std::min(j + step, rows)}), first + j * row);
}

/// A view of elements of the host's memory that lie one after the other.
template <class T, int Rank>
view<T, Rank, layout_right, host_memory> row_major(T* data, const extents<Rank>& sizes) {
  return {data, sizes};
}

/// Whether the elements of a view are in the host's memory as a file has them.
template <class View>
inline constexpr bool is_like_a_file =
    View::memory_type::host_accessible && std::is_same_v<typename View::layout_type, layout_right>;

/// Elements that saving moves at a time, of a view that needs a buffer, and loading, of one that
/// needs scratch: enough to use a device's link. Loading looks at the file's size before each
/// piece.
template <class View>
inline constexpr index_t buffer_elements =
    std::max<index_t>((index_t{16} << 20) / index_t{sizeof(typename View::value_type)}, 1);

template <class Space, class View>
void write_elements(const Space& space, const View& v, index_t first, const element_file& to) {
  static_assert(copies<Space, typename View::memory_type>,
                "tandem: save: only a space of the device can reach memory of a device; give it as "
                "the first argument");
  const auto check = [&] {
    require_data("save", "x", v);
    return !v.empty();
  };
  const auto write = [&] {
    if constexpr (is_like_a_file<View>) {
      space.fence();
      to.write(v.data_handle(), v.size(), first);
    } else {
      const index_t most = std::min(buffer_elements<View>, v.size());
      const host_scratch<typename View::value_type> buffer("save", most);
      for_each_piece(v, first, most, [&](const auto& part, index_t begin) {
        dispatch_copy(space, make_copy_problem(part, row_major(buffer.data(), part.extents())));
        space.fence();
        to.write(buffer.data(), part.size(), begin);
      });
    }
  };
  run(space,
      call{"save", profile_kind::region, sizes_of(v), validated_input{"x", v}, check, write});
}

/// Reads the elements of a view, of which number `first` of the file is the first one.
template <class Space, class View>
void read_elements(const Space& space, const View& v,
                   const elements_in_file<typename View::value_type>& from, index_t first) {
  static_assert(!std::is_const_v<typename View::element_type>,
                "tandem: load: the destination is const");
  static_assert(copies<Space, typename View::memory_type>,
                "tandem: load: only a space of the device can reach memory of a device; give it as "
                "the first argument");
  const auto check = [&] {
    require_data("load", "x", v);
    require_distinct_elements("load", "x", v);
    return !v.empty();
  };
  const auto read = [&] {
    // A copy packs strided elements of a device in scratch.
    constexpr bool is_packed = !View::memory_type::host_accessible &&
                               !std::is_same_v<typename View::layout_type, layout_right>;
    constexpr index_t most = buffer_elements<View> * (is_packed ? 1 : 4);
    for_each_piece(v, first, most, [&](const auto& part, index_t begin) {
      from.require_complete();
      dispatch_copy(space, make_copy_problem(row_major(from.data + begin, part.extents()), part));
      space.fence();
    });
  };
  run(space, call{"load", profile_kind::region, sizes_of(v), validated{v}, check, read});
}

}  // namespace detail

/// Writes the elements of an operand to a file: NumPy's .npy if the name ends so, otherwise raw.
///
///   tandem::save(space, u, "u.npy");     // np.load("u.npy") in Python
///
/// @param x     operand that the space can read, of rank 1 or more and any layout; in a .npy file,
///              of a type that mapped lists
/// @param path  of the file. It is written under another name beside it, and gets its name when it
///              is complete: if save throws, a file that had the name is as before
/// Errors       file_error, which names the file: no such folder, no permission, a full disk;
///              argument_error for an operand without memory; out_of_memory_error for the buffer
/// Complexity   reads and writes each element once; those that are not row-major in the host's
///              memory pass through a buffer of at most 16 MiB
/// Waits for the space.
template <execution_space Space, viewable X>
void save(const Space& space, X&& x, const std::string& path) {
  const auto v = as_view(x);
  auto to = detail::create_elements<element_of<X>>(path, v.extents());
  detail::write_elements(space, v, 0, to);
  to.of.commit();
}

/// Reads the elements of an operand from a .npy or raw file, which its first bytes tell.
///
/// @param path  of the file, whose elements have the type and extents of x
/// @param x     operand that the space can write, of any layout; overwritten
/// Errors       those of mapped, and then x is unchanged; argument_error for an operand without
///              memory; out_of_memory_error for scratch; file_error if the file becomes shorter
///              meanwhile, and then x has some of its elements. load looks before every 64 MiB;
///              if the file becomes shorter while these are copied, the system ends the program, as
///              with mapped
/// Complexity   reads and writes each element once, straight from the system's pages of the file.
///              Scratch: 16 MiB on the device for an operand there that is not row-major
/// Waits for the space.
template <execution_space Space, viewable X>
void load(const Space& space, const std::string& path, X&& x) {
  const auto v = as_view(std::forward<X>(x));
  const auto from = detail::open_elements<element_of<X>>(path, v.extents());
  detail::read_elements(space, v, from, 0);
}

/// Writes a sharded array to a file as one array: each member writes its rows. Files do not tell
/// how many members wrote them.
///
///   tandem::save(gpus, u, "u.npy");
///   tandem::load(fewer_gpus, "u.npy", v);   // v is cut otherwise, and goes on with the same bits
///
/// @param x     sharded array, or a replicated one, which the first member writes
/// @param path  as for an operand of one space
/// Errors       those of save on one space; argument_error for an array of other members
/// Complexity   those of save on one space
/// Waits for the group.
template <class Space, class T, int Rank>
void save(const group<Space>& members, const array<T, Rank, group<Space>, layout_right>& x,
          const std::string& path) {
  detail::require_members("save", members, x);
  auto to = detail::create_elements<T>(path, x.extents());
  detail::for_each_member(members, [&](int p) {
    if (x.size() == 0 || (x.is_replicated() && p > 0)) return;
    const index_t first = detail::own_rows(x, p).begin * x.row_size();
    detail::write_elements(members.member(p), x.part(p), first, to);
  });
  to.of.commit();
}

/// Reads a sharded array from a .npy or raw file: each member reads its rows, and of a replicated
/// array all of them. Halos stay as they are; exchange() sets them.
///
/// @param path  as for an operand of one space; any number of members, or none, may have written it
/// @param x     sharded or replicated array; overwritten
/// Errors       those of load on one space; argument_error for an array of other members
/// Complexity   those of load on one space; for a replicated array once per member
/// Waits for the group.
template <class Space, class T, int Rank>
void load(const group<Space>& members, const std::string& path,
          array<T, Rank, group<Space>, layout_right>& x) {
  detail::require_members("load", members, x);
  const auto from = detail::open_elements<T>(path, x.extents());
  detail::for_each_member(members, [&](int p) {
    if (x.size() == 0) return;
    const index_t first = detail::own_rows(x, p).begin * x.row_size();
    detail::read_elements(members.member(p), x.part(p), from, first);
  });
}

}  // namespace tandem
