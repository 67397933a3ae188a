// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problems of loops, and the report's candidates on the CPU.
#include <perf/benchmarks/loop/host_loops.hpp>

namespace perf {

namespace {

const char* name_of(loop operation) {
  constexpr const char* names[] = {"triad", "copy", "increment", "add", "multiply"};
  return names[static_cast<int>(operation)];
}

const char* suffix_of(form shape) {
  constexpr const char* suffixes[] = {"", "_strided", "_misaligned", "_plane", "_pitched"};
  return suffixes[static_cast<int>(shape)];
}

/// Arrays that an operation reads or writes, counting twice those that it reads and writes.
double passes(loop operation) {
  return operation == loop::copy || operation == loop::increment ? 2 : 3;
}

index_t power(int exponent) { return index_t{1} << exponent; }

/// Makes a candidate of the report that calls run(data).
template <class Run>
std::function<candidate()> on_case(const loop_case& asked, const Run& run) {
  return [=] {
    const auto data = std::make_shared<host_loop_data<float>>(asked.place().size());
    candidate made;
    made.run = [=](std::int64_t) { run(*data); };
    made.check = [=] {
      data->reset();
      run(*data);
      return report_outcome(asked, data->z.data_handle());
    };
    return made;
  };
}

/// Makes tandem's candidate.
template <class Space, loop Operation>
std::function<candidate()> by_tandem(const loop_case& asked) {
  return on_case(asked, [=](host_loop_data<float>& data) {
    if constexpr (Operation == loop::increment) {
      const auto plane =
          tandem::as_view<tandem::host_memory>(data.z.data_handle(), asked.rows, asked.columns);
      if (asked.shape == form::plane) return run_plane<Operation>(Space(), plane, plane, plane);
    }
    run_line<Operation, int>(Space(), input_view(data.x), input_view(data.y), data.z.view());
  });
}

/// Runs a peer over a line, or over the rows of a plane.
template <loop Operation>
void run_rows(host_loop_data<float>& data, index_t columns, index_t begin, index_t end) {
  run_part<Operation>(data.x.data_handle(), data.y.data_handle(), data.z.data_handle(),
                      begin * columns, end * columns);
}

template <loop Operation>
void list_case(lineup& add, const loop_case& asked) {
  using data_type = host_loop_data<float>;
  const problem solved = report_problem(asked);
  const bool is_plane = asked.shape == form::plane;
  const index_t rows = is_plane ? asked.rows : asked.columns;
  const index_t columns = is_plane ? asked.columns : 1;
  add(tandem_on_cpu(solved, "serial", by_tandem<serial, Operation>(asked)));
  add(tandem_on_cpu(solved, "openmp", by_tandem<openmp, Operation>(asked)));
  add(peer(solved, "openmp", "raw", on_case(asked, [=](data_type& data) {
             if (!is_plane) return run_raw<Operation>(data);
#pragma omp parallel for
             for (index_t j = 0; j < rows; ++j) run_rows<Operation>(data, columns, j, j + 1);
           })));
  if (tbb_present) {
    add(peer(solved, "openmp", "tbb", on_case(asked, [=](data_type& data) {
               tbb_for(rows, [&](index_t begin, index_t end) {
                 run_rows<Operation>(data, columns, begin, end);
               });
             })));
  }
  if (kokkos_present) {
    add(peer(solved, "openmp", "kokkos", on_case(asked, [=](data_type& data) {
               if (!is_plane) return run_kokkos<Operation>(data);
               kokkos_for(rows,
                          [=, &data](index_t j) { run_rows<Operation>(data, columns, j, j + 1); });
             })));
  }
}

void list_cpu(const settings& chosen, lineup& add) {
  if (chosen.targets) return;
  for (const loop_case& asked : report_cases(chosen)) {
    with_operation(asked.operation,
                   [&](auto operation) { list_case<decltype(operation)::value>(add, asked); });
  }
}

const registration cpu(list_cpu);

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
  for (const loop operation : {loop::triad, loop::copy, loop::increment}) {
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

std::vector<loop_case> report_cases(const settings& chosen) {
  std::vector<loop_case> cases;
  for (const loop operation : {loop::increment, loop::add, loop::multiply, loop::triad})
    for (const index_t n : curve_sizes(chosen)) cases.push_back({operation, form::line, 1, n});
  for (const index_t side : square_sides(chosen))
    cases.push_back({loop::increment, form::plane, side, side});
  return cases;
}

problem report_problem(const loop_case& asked) {
  problem solved = loop_problem(asked, "f32", sizeof(float));
  solved.algorithm = asked.operation == loop::increment ? "increment" : "vector";
  if (asked.operation == loop::increment)
    solved.name = asked.shape == form::plane ? "plane" : "line";
  // Elementwise results do not depend on any order, so the peers' bits are the reference's, too.
  solved.expected = [=] {
    reference wanted{{}, 0, "serial"};
    with_operation(asked.operation, [&](auto operation) {
      wanted.result = by_tandem<serial, decltype(operation)::value>(asked)().check();
    });
    return wanted;
  };
  return solved;
}

outcome report_outcome(const loop_case& asked, const float* z) {
  const index_t n = asked.place().size();
  outcome found{fingerprint(z, static_cast<std::size_t>(n) * sizeof(float))};
  with_operation(asked.operation, [&](auto operation) {
    found.value = wrong_elements<decltype(operation)::value>(openmp(), z, n);
  });
  return found;
}

}  // namespace perf
