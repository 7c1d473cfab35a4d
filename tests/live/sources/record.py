"""Records the cases of a family on the Spark that is installed: `python -m tests.live.sources.record FAMILY [case …]`.

Writes `fixtures/sources/<family>/<Spark version>.txt`, the folder of the run replaced by a fixed one of the same kind, and
prints what differs from the expectation of each case. A case without one gets what was seen: read it.
"""

from __future__ import annotations

import difflib
import sys
import tempfile

from tests.cases.expected import expect, expected, file_of, sections
from tests.helpers.live_runs import Capture, session
from tests.live.sources.case_lines import case_lines
from tests.live.sources.families import FAMILIES
from tests.live.sources.family import WORK, spark_jars, steps


def main() -> None:
    family, *chosen = sys.argv[1:]
    of = FAMILIES[family]
    if (reason := of.missing()) is not None:
        sys.exit(reason)
    import pyspark

    version = pyspark.__version__
    with tempfile.TemporaryDirectory(prefix="sac_kafka-") as work:
        spark = session(work, **spark_jars([of.list_of_jars(version)]), **of.conf(work))
        of.prepare(spark, work)
        capture = Capture(spark, of.settings)
        batches = {}
        for name in chosen or of.names(version):
            case = of.cases[name]
            for rest in steps(case, spark, work):
                capture.drain()
                batches[name] = of.settled(capture.text_of(rest).replace(work, WORK))
            lines = case_lines(of, name, batches[name], WORK)
            key = f"{family}_{name}"
            if key not in sections(file_of(case)):
                expect(key, case, lines)
            for line in difflib.unified_diff(expected(key), lines, key, "now", lineterm=""):
                print(line)
        of.record(version, batches)
        spark.stop()


if __name__ == "__main__":
    main()
