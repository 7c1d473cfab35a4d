"""Costs of the installed wheel for an interpreter that never starts Spark: it imports one small module when it starts.

    python -m benchmarks.startup [--pairs N]

Pairs of `python -c pass`, with and without the line in site-packages that imports it, in turns; wall time and CPU time of
the whole process, and the time of the module by `-X importtime`.
"""

from __future__ import annotations

import argparse
import compileall
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from statistics import median

import sac_kafka_auto

MODULE = Path(sac_kafka_auto.__file__)
_IMPORTED = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|\s+sac_kafka_auto$", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.startup", description=__doc__)
    parser.add_argument("--pairs", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with_it, without = environment(Path(folder, "with")), environment(Path(folder, "without"))
        (packages,) = with_it.parents[1].glob("lib/python*/site-packages")
        for each in (MODULE, MODULE.with_suffix(".pth")):
            shutil.copy(each, packages)
        compileall.compile_dir(packages, quiet=1)
        pairs = [(started(with_it), started(without)) for _ in range(options.pairs)]
        command = [with_it, "-X", "importtime", "-c", "pass"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    for index, title in enumerate(("wall", "CPU")):
        one, other = (median(pair[side][index] for pair in pairs) for side in (0, 1))
        difference = median(pair[0][index] - pair[1][index] for pair in pairs)
        print(f"{title:<5} with {one:7.2f} ms, without {other:7.2f} ms, difference {difference:6.2f} ms")
    imported = _IMPORTED.search(printed)
    print(f"-X importtime: {int(imported[2]) / 1000:.2f} ms" if imported else printed)
    return 0


def environment(folder: Path) -> Path:
    """Make a virtual environment, and give its interpreter."""
    venv.create(folder, with_pip=False)
    return folder / "bin" / "python"


def started(python: Path) -> tuple[float, float]:
    """Wall time and CPU time of one interpreter, in ms."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([python, "-c", "pass"], check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * wall, 1000 * cpu


if __name__ == "__main__":
    sys.exit(main())
