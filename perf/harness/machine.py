# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Describes the machine and the build that were measured."""

import datetime
import json
import os
import pathlib
import platform
import subprocess


def output_of(*command, folder=None):
    """A command's output, or nothing if it is missing or fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=30, cwd=folder, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def cache_bytes():
    """Size of the processor's last cache, 0 if the system does not expose it."""
    sizes = []
    for path in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = path.read_text().strip()
        sizes.append(int(text[:-1]) << {"K": 10, "M": 20, "G": 30}[text[-1]])
    return max(sizes, default=0)


def commit(repository):
    """The commit, marked if tracked files differ from it; TANDEM_COMMIT overrides it."""
    if "TANDEM_COMMIT" in os.environ:
        return os.environ["TANDEM_COMMIT"]
    head = output_of("git", "rev-parse", "--short=12", "HEAD", folder=repository)
    if not head:
        return "unknown"
    changed = output_of("git", "status", "--porcelain", "--untracked-files=no", folder=repository)
    return head + (" with changes" if changed else "")


def gpus():
    fields = "name,driver_version,memory.total"
    listed = output_of("nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader").splitlines()
    return [
        dict(zip(("name", "driver", "memory"), map(str.strip, line.split(",")))) for line in listed
    ]


def describe(repository, build_info, quick, context):
    """Machine, build and libraries for the report; context is measurements.read_context's."""
    known = build_info and pathlib.Path(build_info).exists()
    info = json.loads(pathlib.Path(build_info).read_text()) if known else {}
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": commit(repository),
        "processor": processor(),
        "threads": len(os.sched_getaffinity(0)),
        "cache_bytes": cache_bytes(),
        "openblas_kernels": context.get("openblas_kernels", ""),
        "peers": ", ".join(filter(None, (info.get("peers"), context.get("python_peers")))),
        "omp_num_threads": os.environ.get("OMP_NUM_THREADS", ""),
        "system": output_of("sh", "-c", ". /etc/os-release; echo $PRETTY_NAME")
        or platform.system(),
        "kernel": platform.release(),
        "gpus": gpus(),
        "build": info,
        "quick": quick,
    }
