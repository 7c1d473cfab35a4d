"""Records the cases' batches with the Spark that is installed: `python -m tests.cases.record [case …]`.

Writes `fixtures/batches/<Spark version>/<case>.txt` as they came from the listener (the folder of the run replaced by a
fixed one of the same kind), and prints the lineage of each next to the expected one. A case owes a recording on the oldest
Spark and on the newest; on those between only new events are kept.
"""

from __future__ import annotations

import difflib
import sys
import tempfile

from tests.cases.all_cases import CASES, CHANGING, prepare
from tests.cases.batches import BATCHES, keep
from tests.cases.every_case import names
from tests.cases.expected import expect, expected, file_of, sections
from tests.helpers.catalog import building
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import Capture, session

WORK = "/work-of-the-case"


def main() -> None:
    building.on_class_path()
    with tempfile.TemporaryDirectory(prefix="sac_kafka-") as work:
        spark = session(work)
        prepare(spark, work)
        (BATCHES / spark.version).mkdir(parents=True, exist_ok=True)
        capture = Capture(spark)
        for name in sys.argv[1:] or names(spark.version):
            text = capture.text_of(lambda name=name: CASES[name](spark, work))
            keep(name, spark.version, text.replace(work, WORK) + "\n")
            lines = lineage_lines(capture.outcomes_of(text) if name in CHANGING else capture.processes_of(text), work)
            if name not in sections(file_of(CASES[name])):
                expect(name, CASES[name], lines)
            for line in difflib.unified_diff(expected(name), lines, name, "now", lineterm=""):
                print(line)
        spark.stop()


if __name__ == "__main__":
    main()
