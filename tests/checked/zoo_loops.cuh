// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/tandem.hpp>

/// Planted bugs in GPU loops, all on one rank-1 view (zoo.cu).
namespace zoo {

template <class T>
using line = tandem::view<T, 1, tandem::layout_right, tandem::device_memory>;

constexpr int lanes = 64;
constexpr int teams = 4;
constexpr int n = lanes * teams;
constexpr int side = 16;  // extent of the elements as a square

struct racing_counter {
  line<int> count;
  TANDEM_FUNCTION void operator()(int) const { count(0) += 1; }
};

struct bins_without_atomics {
  line<int> bins;
  TANDEM_FUNCTION void operator()(int i) const { bins(i % 8) += 1; }
};

struct stencil_in_place {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const {
    if (i > 0) x(i) += x(i - 1);
  }
};

struct copies {
  const int* from;
  line<int> to;
  TANDEM_FUNCTION void operator()(int i) const { to(i) = from[i]; }
};

struct one_too_many {
  int* first;
  TANDEM_FUNCTION void operator()(int i) const { first[i + 1] = i; }
};

struct plain_beside_atomics {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const {
    if (i % 2 == 0) {
      x(0) = i;
    } else {
      tandem::atomic_add(x(0), 1);
    }
  }
};

struct shift_in_place {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const {
    if (i + 1 < n) x(i) = x(i + 1) + 1;
  }
};

struct transpose_in_place {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const { x(i) = x(i % side * side + i / side) + 1; }
};

struct index_that_wraps_around {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const { x(i % 50) = i; }
};

struct neighbouring_writes {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const {
    x(i) = i;
    if (i + 1 < n) x(i + 1) = -i;
  }
};

struct maximum_without_atomics {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const {
    if (i > x(0)) x(0) = i;
  }
};

struct load_behind_an_atomic {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const {
    tandem::atomic_add(x(0), 1);
    if (i > 0) x(i) = x(0);
  }
};

struct polled_flag {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const {
    if (i == 7) {
      tandem::atomic_exchange(x(0), 1);
    } else if (i > 0) {
      x(i) = x(0);
    }
  }
};

struct bytes_of_two_iterations {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const {
    reinterpret_cast<signed char*>(x.data_handle())[i / 2] = static_cast<signed char>(i);
  }
};

struct one_too_few {
  int* first;
  TANDEM_FUNCTION void operator()(int i) const { first[i - 1] = i; }
};

struct far_behind_an_array {
  int* first;
  TANDEM_FUNCTION void operator()(int i) const { first[(1 << 24) + i] = i; }
};

struct adds_index {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const { x(i) += i; }
};

struct adds_to_bins {
  line<int> bins;
  TANDEM_FUNCTION void operator()(int i) const { tandem::atomic_add(bins(i % 8), 1); }
};

struct writes_all_but_the_last {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const {
    if (i + 1 < n) x(i) = i;
  }
};

}  // namespace zoo
