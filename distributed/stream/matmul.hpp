// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/matmul.hpp>
#include <tandem/distributed/operations/product_totals.hpp>
#include <tandem/distributed/stream/box_buffer.hpp>
#include <tandem/distributed/stream/streamed.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

/// Products whose operands are larger than a device.
namespace tandem {

namespace detail {

/// A streamed product: its operands and options, and the largest of its tiles.
template <class A, class B, class C>
struct product_call {
  using value_type = typename C::value_type;
  using sum_type = matmul_sum_t<value_type>;
  A a;
  B b;
  C c;
  matmul_options<sum_type, host_memory> options;
  product_extents whole;
  product_extents tile = {};

  product_call(const A& left, const B& right, const C& product,
               const matmul_options<sum_type, host_memory>& how)
      : a(left), b(right), c(product), options(how) {
    constexpr int rows = C::rank() - 2;
    whole = {rows == 1 ? c.extent(0) : 1, c.extent(rows), c.extent(rows + 1),
             a.extent(A::rank() - 1)};
  }

  bool has_bias() const { return options.epilogue.bias.has_value(); }
  /// Whether k is cut, so that totals are kept from piece to piece.
  bool adds_pieces() const { return tile.terms < whole.terms; }
  product_extents tile_of_a() const { return {tile.products, tile.rows, tile.terms}; }
  product_extents tile_of_b() const { return {tile.products, tile.terms, tile.columns}; }
  product_extents tile_of_c() const { return {tile.products, tile.rows, tile.columns}; }

  /// Whether the totals of a cut k need memory besides the elements of c.
  bool keeps_totals() const {
    return adds_pieces() && (!std::is_same_v<value_type, sum_type> || options.beta != sum_type{0});
  }
};

/// A stream for the pieces of a device that it takes, and their buffers.
template <class Space, class Call>
struct piece_lane {
  const Space& space;
  box_buffer<Space, decltype(Call::a)> a;
  box_buffer<Space, decltype(Call::b)> b;
  array<typename Call::sum_type, 1, Space> bias;

  piece_lane(const Space& where, const Call& call)
      : space(where),
        a(where, call.a, call.tile_of_a()),
        b(where, call.b, call.tile_of_b()),
        bias(extents<1>(call.has_bias() ? call.tile.columns : 0), where) {}
};

/// The buffers of a tile of c, and the events that order the streams which use them.
template <class Space, class Call>
struct tile_slot {
  using event = std::optional<typename Space::event_type>;
  box_buffer<Space, decltype(Call::c)> c;
  array<typename Call::sum_type, 1, Space> totals;
  event multiplied;  ///< the latest piece
  event returned;    ///< the results

  tile_slot(const Space& where, const Call& call)
      : c(where, call.c, call.tile_of_c()),
        totals(extents<1>(call.keeps_totals() ? matrix_extents<3>(call.tile_of_c()).size() : 0),
               where) {}
};

/// The tiles of one device, piece by piece. Two of its streams take the pieces in turn, so that one
/// piece arrives while another is multiplied; a third one moves c.
template <class Space, class Call>
class product_stream {
 public:
  /// @param first, second  the streams of the pieces
  /// @param mover          the stream that moves c
  product_stream(const Call& call, const product_tiles& tiles, const Space& first,
                 const Space& second, const Space& mover)
      : call_(call),
        tiles_(tiles),
        mover_(mover),
        lanes_(list_for<piece_lane<Space, Call>>("matmul", 2)),
        slots_(list_for<tile_slot<Space, Call>>("matmul", 2)) {
    for (index_t tile = 0; tile < std::min<index_t>(tiles.count(), 2); ++tile)
      slots_.emplace_back(mover, call);
    if (tiles.count() == 0) return;
    const auto reserved = mover.record();
    for (const Space* const space : {&first, &second}) {
      lanes_.emplace_back(*space, call);
      space->wait(reserved);
    }
  }

  index_t pieces() const { return tiles_.count() * tiles_.pieces(); }

  /// Starts the next piece, and then moves results of the tile before it: copies of ordinary memory
  /// make the host wait, and the piece keeps the device busy meanwhile.
  void start(index_t number) {
    const index_t tile = number / tiles_.pieces();
    const index_t piece = number % tiles_.pieces();
    const tile_box box = tiles_.box(tile);
    piece_lane<Space, Call>& lane = lanes_[static_cast<std::size_t>(number % 2)];
    tile_slot<Space, Call>& slot = slot_of(tile);
    if (call_.options.beta != Sum{0}) slot.c.bring_rows(mover_, box, tiles_.share(box, piece));
    bring(lane, box, piece);
    const auto& before = piece > 0 ? slot.multiplied : slot.returned;
    if (before) lane.space.wait(*before);
    if (is_last(piece) && call_.options.beta != Sum{0}) lane.space.wait(mover_.record());
    multiply(lane, slot, box, piece);
    slot.multiplied.emplace(lane.space.record());
    if (tile > 0) give_back(tile - 1, piece);
  }

  /// Moves the results of the last tile.
  void finish() {
    if (tiles_.count() == 0) return;
    for (index_t piece = 0; piece < tiles_.pieces(); ++piece) give_back(tiles_.count() - 1, piece);
  }

 private:
  using Sum = typename Call::sum_type;
  static constexpr int rank = decltype(Call::c)::rank();

  tile_slot<Space, Call>& slot_of(index_t tile) {
    return slots_[static_cast<std::size_t>(tile % 2)];
  }
  bool is_last(index_t piece) const { return piece + 1 == tiles_.pieces(); }

  void bring(piece_lane<Space, Call>& lane, const tile_box& box, index_t piece) {
    const range terms = tiles_.terms(piece);
    lane.a.bring(lane.space, {box.products, box.rows, terms});
    lane.b.bring(lane.space, {box.products, terms, box.columns});
    if (const auto& bias = call_.options.epilogue.bias; bias && is_last(piece)) {
      copy(lane.space, subview(*bias, slice{box.columns.begin, box.columns.end}),
           subview(lane.bias, slice(box.columns.size())));
    }
  }

  void multiply(piece_lane<Space, Call>& lane, tile_slot<Space, Call>& slot, const tile_box& box,
                index_t piece) {
    const range terms = tiles_.terms(piece);
    const auto a = lane.a.at({box.products, box.rows, terms});
    const auto b = lane.b.at({box.products, terms, box.columns});
    const auto c = slot.c.at(box);
    if (!call_.adds_pieces()) return matmul(lane.space, a, b, c, options_of(lane, box));
    const auto add = [&](const auto& totals) {
      // Tensor cores add up the terms of a cut k in chunks, which a short piece does if asked to.
      const matmul_options<Sum, typename Space::memory_type> options{
          .precision = call_.options.precision, .kernel = call_.options.kernel, .split_k = true};
      if (piece == 0) {
        matmul(lane.space, a, b, totals, options);
      } else {
        add_product(lane.space, a, b, totals, options);
      }
      if (is_last(piece)) finish_tile(lane, box, totals, c);
    };
    if constexpr (std::is_same_v<typename Call::value_type, Sum>) {
      if (!call_.keeps_totals()) return add(c);
    }
    add(view<Sum, rank, layout_right, typename Space::memory_type>(
        slot.totals.data_handle(),
        matrix_extents<rank>({box.products.size(), box.rows.size(), box.columns.size()})));
  }

  /// The options of a product that computes a tile at once.
  matmul_options<Sum, typename Space::memory_type> options_of(const piece_lane<Space, Call>& lane,
                                                              const tile_box& box) const {
    auto options = without_bias<typename Space::memory_type>(call_.options);
    if (call_.has_bias()) options.epilogue.bias = subview(lane.bias, slice(box.columns.size()));
    return options;
  }

  /// Finishes a tile whose totals are complete. It belongs to one product.
  template <class Totals, class C>
  void finish_tile(const piece_lane<Space, Call>& lane, const tile_box& box, const Totals& totals,
                   const C& c) const {
    const auto options = options_of(lane, box);
    if constexpr (rank == 3) {
      finish_product(lane.space, subview(totals, 0, all, all), subview(c, 0, all, all), options);
    } else {
      finish_product(lane.space, totals, c, options);
    }
  }

  void give_back(index_t tile, index_t piece) {
    const tile_box box = tiles_.box(tile);
    tile_slot<Space, Call>& slot = slot_of(tile);
    if (piece == 0 && slot.multiplied) mover_.wait(*slot.multiplied);
    slot.c.give_back(mover_, box, tiles_.share(box, piece));
    if (is_last(piece)) slot.returned.emplace(mover_.record());
  }

  const Call& call_;
  product_tiles tiles_;
  const Space& mover_;
  std::vector<piece_lane<Space, Call>> lanes_;
  std::vector<tile_slot<Space, Call>> slots_;
};

/// The bytes per element that a tile of an operand takes of the budget: also on the host, where
/// they bound the memory that a tile reads, but not of operands in memory of the device.
template <class Space, class View>
std::size_t budgeted_bytes(const View&) {
  constexpr bool is_there = stays<Space, View> && !View::memory_type::host_accessible;
  return is_there ? 0 : sizeof(typename View::value_type);
}

/// Chooses the tiles of a product of which each device computes at most `most` rows, or products of
/// a batch.
template <class Space, class Call>
product_extents choose_tile(const streamed<Space>& how, const Call& call, index_t most) {
  using Sum = typename Call::sum_type;
  using In = typename decltype(Call::a)::value_type;
  product_extents whole = call.whole;
  (decltype(Call::c)::rank() == 3 ? whole.products : whole.rows) = most;
  const index_t piece = matmul_piece<In>(whole.terms, call.options.precision, call.options.split_k);
  product_bytes bytes{.a = budgeted_bytes<Space>(call.a),
                      .b = budgeted_bytes<Space>(call.b),
                      .bias = call.has_bias() ? sizeof(Sum) : 0,
                      .c = budgeted_bytes<Space>(call.c)};
  const bool keeps_totals =
      !std::is_same_v<typename Call::value_type, Sum> || call.options.beta != Sum{0};
  if (piece < whole.terms && keeps_totals) bytes.c += sizeof(Sum);
  return choose_product_tile(whole, piece, bytes, how.budget_per_device());
}

template <class Space, class A, class B, class C, class Options>
void stream_product(const streamed<Space>& how, const A& a, const B& b, const C& c,
                    const Options& options) {
  require_data("matmul", "a", a);
  require_data("matmul", "b", b);
  require_data("matmul", "c", c);
  require_distinct_elements("matmul", "c", c);
  require_matmul_shapes(a, b, c);
  require(!overlaps(a, c), "matmul", "c overlaps a");
  require(!overlaps(b, c), "matmul", "c overlaps b");
  require_epilogue(how.lanes().member(0), c, options.epilogue);
  if (c.empty()) return;
  product_call<A, B, C> call(a, b, c, options);
  const cut parts = cut::even(c.extent(0), how.devices(), 2);
  index_t most = 0;
  for (int p = 0; p < parts.parts(); ++p) most = std::max(most, parts.size(p));
  call.tile = choose_tile(how, call, most);
  auto streams = list_for<product_stream<Space, product_call<A, B, C>>>("matmul", how.devices());
  fence_on_error(how.lanes(), [&] {
    index_t longest = 0;
    index_t pieces = 0;
    for (int p = 0; p < how.devices(); ++p) {
      const range part(parts.begin(p), parts.end(p));
      const product_tiles tiles(call.tile, C::rank() == 3 ? part : range(1),
                                C::rank() == 3 ? range(call.whole.rows) : part, call.whole.columns,
                                call.whole.terms);
      streams.emplace_back(call, tiles, how.lane(p, 0), how.lane(p, 1), how.lane(p, 2));
      longest = std::max(longest, streams.back().pieces());
      pieces += streams.back().pieces();
    }
    index_t started = 0;
    for (index_t number = 0; number < longest; ++number) {
      for (auto& stream : streams) {
        if (number >= stream.pieces()) continue;
        stream.start(number);
        ++started;
      }
      if (how.how().progress) {
        const index_t rows = c.extent(0);
        how.how().progress(rows / pieces * started + rows % pieces * started / pieces, rows);
      }
    }
    for (auto& stream : streams) stream.finish();
    how.lanes().fence();
  });
}

}  // namespace detail

/// Computes c = epilogue(alpha * a b + beta * c) with operands of the host, as matmul() on one
/// space and with its bits:
///
///   tandem::matmul(tandem::streamed(gpu, {.budget = std::size_t{8} << 30}), a, b, c);
///
/// Tiles of c stay on the device until their sums are complete. The rows of a and columns of b that
/// a tile needs pass through the device in pieces of k. Several devices share the rows of c, or the
/// products of a batch.
///
/// @param a, b, c  as for matmul on one space: matrices or batches of any layout and strides, in
///                 memory of the host. Operands in memory of the device stay there
/// @param options  as on one space; a bias is in memory of the host
/// Errors          those of matmul on one space; argument_error if the budget does not hold the
///                 buffers of one element of c. k is cut at multiples of 1024 terms, but tensor
///                 cores accumulate all terms of half, bf16 and tf32 at once up to 16384 terms, and
///                 of bf16x6 and bf16x9 always: a tile then needs all of them
/// Complexity      2 m n k operations per product. A row of a moves once per column of tiles, a
///                 column of b once per row of tiles, and c once in each of its directions. Scratch
///                 of matmul comes on top of the budget
/// Waits until c is complete.
template <class Space, viewable A, viewable B, viewable C>
void matmul(const streamed<Space>& how, A&& a, B&& b, C&& c,
            const matmul_options<detail::matmul_sum_t<element_of<C>>, host_memory>& options = {}) {
  const auto left = detail::read_only(as_view(std::forward<A>(a)));
  const auto right = detail::read_only(as_view(std::forward<B>(b)));
  const auto product = as_view(std::forward<C>(c));
  if constexpr (detail::check_matmul_operands<std::remove_const_t<decltype(left)>,
                                              std::remove_const_t<decltype(right)>, as_view_t<C>>())
    detail::stream_product(how, left, right, product, options);
}

}  // namespace tandem
