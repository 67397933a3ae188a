// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PageRank by power iteration: a random list of links becomes a sparse matrix in compressed rows,
// and each step is a product with it. Ranks have the same bits on every backend.
// `pagerank 22` ranks 2^22 pages.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <tandem/tandem.hpp>

int main(int argc, char** argv) {
  const int power = argc > 1 ? std::atoi(argv[1]) : 14;
  const int pages = 1 << power, links = 8 * pages;

  // Any page links to others, and most often to those with small numbers.
  tandem::array<int> from(links), to(links);
  tandem::fill_random(from, tandem::uniform_int{0, pages - 1}, 1);
  const auto draw = tandem::random_values<double>(tandem::uniform{}, 2);
  const auto target = to.view();
  tandem::parallel_for(
      links, TANDEM_LAMBDA(int k) {
        const double u = draw(std::uint64_t(k));
        target(k) = int(pages * u * u * u);
      });

  // Row j of the matrix holds the pages that link to page j, each of which divides its rank among
  // its links.
  tandem::array<int> out_links(pages), in_links(pages), offsets({pages + 1}, 0);
  tandem::histogram(from, tandem::integer_bins{}, out_links);
  tandem::histogram(to, tandem::integer_bins{}, in_links);
  tandem::parallel_scan(in_links, tandem::subview(offsets, tandem::slice{1, pages + 1}));
  tandem::sort_by_key(to, from);
  tandem::array<double> part(links), rank({pages}, 1.0 / pages), received(pages), next(pages);
  const auto degree = out_links.const_view(), source = from.const_view();
  const auto p = part.view();
  tandem::parallel_for(
      links, TANDEM_LAMBDA(int k) { p(k) = 1.0 / degree(source(k)); });
  const tandem::csr_matrix matrix{offsets.const_view(), source, part.const_view(), pages};

  // A reader follows a link, or jumps to any page: always from a page without links.
  const double damping = 0.85;
  const auto got = received.const_view();
  double change = 1;
  int steps = 0;
  for (; change > 1e-12 && steps < 200; ++steps) {
    const auto before = rank.const_view();
    const auto after = next.view();
    tandem::multiply(matrix, rank, received);
    const double stuck = tandem::parallel_reduce(
        pages, TANDEM_LAMBDA(int i) { return degree(i) == 0 ? before(i) : 0.0; });
    const double jump = (1 - damping + damping * stuck) / pages;
    change = tandem::parallel_reduce(
        pages, TANDEM_LAMBDA(int i) {
          after(i) = damping * got(i) + jump;
          return tandem::abs(after(i) - before(i));
        });
    std::swap(rank, next);
  }

  const auto [highest, page] = tandem::argmax(rank);
  const double total = tandem::parallel_reduce(rank);
  std::printf("%d pages, %d links, %d steps: page %d has rank %.6f, all ranks add up to %.12f\n",
              pages, links, steps, int(page), highest, total);
  // The last comparison is with the bits of every backend.
  const bool right = page == 0 && steps < 200 && tandem::abs(total - 1) < 1e-12;
  return right && (power != 14 || highest == 0x1.37e217f53fd5bp-5) ? 0 : 1;
}
