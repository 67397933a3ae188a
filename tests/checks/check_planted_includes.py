#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that check_layers refuses planted cycles, upward includes and upward declarations."""

import pathlib
import unittest

import check_layers
import include_graph


def files(**includes):
    """Makes the files of a tree from paths, with __ for slashes, and the lists of headers they
    include."""
    return [(pathlib.PurePath(name.replace("__", "/") + ".hpp"),
             "".join(f"#include <{header}>\n" for header in headers))
            for name, headers in includes.items()]


class Cycles(unittest.TestCase):
    def found(self, **includes):
        return list(include_graph.check_cycles(files(**includes)))

    def test_headers_that_include_each_other(self):
        self.assertEqual(self.found(core__a=["tandem/core/b.hpp"], core__b=["tandem/core/a.hpp"]),
                         ["core/b.hpp and core/a.hpp include each other"])

    def test_by_way_of_a_header_that_lies_in_include(self):
        self.assertEqual(self.found(core__a=["tandem/config.hpp"],
                                    include__tandem__config=["tandem/core/a.hpp"]),
                         ["config.hpp and core/a.hpp include each other"])

    def test_by_way_of_annotations_that_builds_include(self):
        self.assertEqual(len(self.found(
            include__tandem__settings=[], backends__cuda__annotations=["tandem/core/a.hpp"],
            core__a=["tandem/settings.hpp"])), 1)

    def test_one_header_included_twice_is_no_cycle(self):
        self.assertEqual(self.found(core__a=["tandem/core/b.hpp", "tandem/core/c.hpp"],
                                    core__b=["tandem/core/c.hpp"], core__c=["vector"]), [])

    def test_the_source_has_none(self):
        self.assertEqual(list(include_graph.check_cycles(check_layers.source_files())), [])


class Costly(unittest.TestCase):
    def test_cub_by_way_of_a_public_header(self):
        tree = files(include__tandem__tandem=["tandem/core/a.hpp"], core__a=["cub/cub.cuh"])
        found = list(include_graph.check_costly(tree, lambda name: name == "tandem.hpp"))
        self.assertEqual(len(found), 1)


class Layers(unittest.TestCase):
    def refused(self, path, header):
        return not check_layers.may_include(pathlib.PurePath(path), header)

    def test_the_vocabulary_sees_neither_contract_nor_tools(self):
        for header in ("contract/copy_problem", "tools/profiling/profiling"):
            self.assertTrue(self.refused("core/view/a.hpp", f"tandem/core/{header}.hpp"))
        self.assertFalse(self.refused("core/view/a.hpp", "tandem/core/kernel/target.hpp"))

    def test_tools_see_the_contract_and_not_the_other_way_round(self):
        self.assertFalse(self.refused("core/tools/a.hpp", "tandem/core/contract/copy_problem.hpp"))
        self.assertTrue(self.refused("core/contract/a.hpp", "tandem/core/tools/a.hpp"))

    def test_a_tool_is_entered_by_the_header_of_its_name(self):
        self.assertFalse(self.refused("algorithms/a.hpp", "tandem/core/tools/timing/timing.hpp"))
        self.assertTrue(self.refused("algorithms/a.hpp", "tandem/core/tools/checked/session.hpp"))
        self.assertTrue(self.refused("include/tandem/a.hpp",
                                     "tandem/core/tools/comparison/recording.hpp"))

    def test_core_sees_no_backend_and_users_no_detail(self):
        self.assertTrue(self.refused("core/a.hpp", "tandem/backends/serial/serial.hpp"))
        self.assertTrue(self.refused("examples/a.cpp", "tandem/core/kernel/target.hpp"))
        self.assertFalse(self.refused("examples/a.cpp", "tandem/core/math.hpp"))


class Operations(unittest.TestCase):
    def found(self, path, text):
        return list(check_layers.check_operations(pathlib.PurePath(path), text))

    def test_a_space_knows_no_operation(self):
        space = "backends/cuda/runtime/space.hpp"
        problem = "#include <tandem/core/contract/matmul_problem.hpp>\n"
        self.assertEqual(len(self.found(space, problem)), 1)
        self.assertEqual(len(self.found(space, "void dispatch_matmul(const cuda&);\n")), 1)
        self.assertEqual(self.found(space, "void dispatch_check_pointer(const cuda&);\n"), [])

    def test_the_rooms_of_operations_do(self):
        self.assertEqual(self.found("backends/cuda/matmul/dispatch.hpp",
                                    "void dispatch_matmul(const cuda&);\n"), [])


if __name__ == "__main__":
    unittest.main()
