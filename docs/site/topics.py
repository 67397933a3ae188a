# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The groups of the reference: which header belongs to which, the first match wins."""

import re

TOPICS = (
    ("Loops", r"algorithms/(parallel_for|transform|fill|iota)\.|core/(range|kernel/function)"),
    ("Segments and sparse rows", r"algorithms/(segment|reduce_by_key|multiply|scatter_add)"),
    ("Reductions", r"algorithms/(parallel_reduce|partial_reduce|argminmax|dot|norms|predicates)|"
                   r"core/(reducers|numbers/(fixed_point|order_free))"),
    ("Scans, sorting, selection", r"algorithms/(parallel_scan|adjacent|sort|nth_element|copy_if|"
                                  r"unique|gather|reverse|permutation)"),
    ("Histograms", r"algorithms/histogram"),
    ("Matrix products", r"algorithms/matmul"),
    ("Random numbers", r"algorithms/fill_random|core/random/"),
    ("Memory and views", r"algorithms/(copy|resize|support/mirror)|"
                         r"core/(array|view|extents|memory|mdspan|constant)"),
    ("Spaces, streams, graphs", r"backends/|core/(space|tools/timing)|"
                                r"algorithms/support/(graph|timeit)|include/tandem/default_space"),
    ("Teams", r"core/team|algorithms/parallel_teams"),
    ("Atomics", r"core/atomic"),
    ("Mathematics", r"core/(math|numbers|tuple)"),
    ("Errors and debugging", r"core/(errors|require|tools/comparison)|algorithms/compare"),
    ("Build and interoperability", r"include/|core/annotations"),
    ("For backends", r"core/(contract|kernel|tools)"),
    ("More", r""),
)

# The names that users write among those that backends and algorithms share.
OF_USERS = {"axis": "Reductions", "uniform_bins": "Histograms", "integer_bins": "Histograms",
            "matmul_kernel": "Matrix products", "matmul_precision": "Matrix products",
            "matmul_activation": "Matrix products", "sort_order": "Scans, sorting, selection",
            "host_event": "Spaces, streams, graphs", "execution_space": "Spaces, streams, graphs",
            "can_access": "Spaces, streams, graphs"}


def topic_of(name, header):
    """The group of a public name: by its header, unless OF_USERS names its group."""
    if name in OF_USERS:
        return OF_USERS[name]
    if name.endswith("_resource"):
        return "For backends"
    return next(title for title, pattern in TOPICS if re.match(pattern, header))


def anchor_of(topic):
    return re.sub(r"\W+", "-", topic.lower())
