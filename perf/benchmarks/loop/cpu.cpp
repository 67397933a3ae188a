// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/loop/bench.hpp>

namespace perf {

namespace {

constexpr loop operations[] = {loop::triad, loop::copy, loop::increment};

const char* name_of(loop operation) {
  switch (operation) {
    case loop::triad:
      return "triad";
    case loop::copy:
      return "copy";
    case loop::increment:
      return "increment";
  }
  return "";
}

const char* suffix_of(form shape) {
  switch (shape) {
    case form::line:
      return "";
    case form::strided:
      return "_strided";
    case form::misaligned:
      return "_misaligned";
    case form::plane:
      return "_plane";
    case form::pitched:
      return "_pitched";
  }
  return "";
}

/// Arrays that an operation reads or writes, counting twice those that it reads and writes.
double passes(loop operation) { return operation == loop::triad ? 3 : 2; }

index_t power(int exponent) { return index_t{1} << exponent; }

}  // namespace

placement loop_case::place() const {
  switch (shape) {
    case form::strided:
      return {1, columns, 0, 0, 2};
    case form::misaligned:
      return {1, columns, 1, 0, 1};
    case form::pitched:  // rows begin at multiples of 4 KB in f32
      return {rows, columns, 0, tandem::round_up(columns, power(10)), 1};
    case form::line:
    case form::plane:
      break;
  }
  return {rows, columns, 0, columns, 1};
}

std::vector<loop_case> loop_cases(bool lines_only) {
  std::vector<loop_case> cases;
  for (const loop operation : operations) {
    for (const int exponent : {20, 22, 24, 27, 28, 30})
      cases.push_back({operation, form::line, 1, power(exponent)});
    if (lines_only) continue;
    for (const form shape : {form::strided, form::misaligned}) {
      for (const int exponent : {20, 24, 27})
        cases.push_back({operation, shape, 1, power(exponent)});
    }
    for (const index_t side : {1000, 4000}) cases.push_back({operation, form::plane, side, side});
    cases.push_back({operation, form::plane, power(13), power(14)});
    cases.push_back({operation, form::plane, power(18), 40});
    cases.push_back({operation, form::pitched, 1000, 1000});
    cases.push_back({operation, form::pitched, power(13), 16000});
  }
  return cases;
}

problem loop_problem(const loop_case& asked, const std::string& type, std::size_t element_bytes) {
  const bool is_plane = asked.shape == form::plane || asked.shape == form::pitched;
  const std::string columns = std::to_string(asked.columns);
  problem solved{"loops", std::string(name_of(asked.operation)) + suffix_of(asked.shape), type,
                 is_plane ? std::to_string(asked.rows) + "x" + columns : columns};
  const placement place = asked.place();
  solved.elements = static_cast<double>(place.size());
  // Gaps of a strided line share their sectors with its elements, so memory moves them, too.
  solved.bytes = passes(asked.operation) * static_cast<double>(element_bytes) * solved.elements *
                 static_cast<double>(place.step);
  solved.expected = [] { return reference{{}, 0, "the device"}; };
  return solved;
}

}  // namespace perf
