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
                         r"core/(array|view|extents|memory|mdspan|constant|files)"),
    ("Spaces, streams, graphs", r"backends/|core/(space|tools/timing)|"
                                r"algorithms/support/(graph|timeit)|include/tandem/default_space"),
    ("Groups and streaming", r"distributed/"),
    ("Teams", r"core/team|algorithms/parallel_teams"),
    ("Atomics", r"core/atomic"),
    ("Mathematics", r"core/(math|numbers|tuple)"),
    ("Errors and debugging", r"core/(errors|require|tools/comparison)|algorithms/compare"),
    ("Build and interoperability", r"include/|core/annotations"),
    ("More", r""),
)

# The group of names that only backends and algorithms use. It has a separate page.
INTERNALS = "Internals"
INTERNAL_HEADERS = re.compile(r"core/(contract|kernel|tools)")
INTERNAL_NAMES = re.compile(
    r"\w+_resource|block_(depth|grid|range|threads)|grid_stride_range|loop_index|classify_weight|"
    r"flags_of_no_integer|sum_of_flags|weight_flag|fixed_point|largest_(accumulator|finite)|"
    r"initial_reducer|reducer_or_deduced|memory_convertible|all_t|replicated_t|new_file_t|"
    r"as_view_t|is_view|element_of|"
    r"philox_words|cpu_description|cuda_recording|cuda_version_text|default_instance")

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
    topic = next(title for title, pattern in TOPICS if re.match(pattern, header))
    is_internal = topic == "More" and INTERNAL_HEADERS.match(header)
    return INTERNALS if is_internal or INTERNAL_NAMES.fullmatch(name) else topic


def anchor_of(topic):
    return re.sub(r"\W+", "-", topic.lower())


def url_of(topic):
    """Where the reference lists the names of a group."""
    if topic == INTERNALS:
        return "reference/internals.html"
    return f"reference/index.html#{anchor_of(topic)}"
