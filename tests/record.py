"""Records the cases' batches with the Spark that is installed: `python tests/record.py [case …]`.

Writes `fixtures/batches/<Spark version>/<case>.txt` as they came from the listener (the folder of the run replaced by a
fixed one of the same kind), and prints what each means beside what it should mean.
"""

from __future__ import annotations

import difflib
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from cases import CASES, CHANGING, expectation, prepare  # noqa: E402 the path must be set first
from catalog import building  # noqa: E402 the path must be set first
from every_case import names  # noqa: E402 the path must be set first
from live import Capture, session  # noqa: E402 the path must be set first
from telling import tell  # noqa: E402 the path must be set first

WORK = "/work-of-the-case"


def main() -> None:
    building.on_class_path()
    with tempfile.TemporaryDirectory() as work:
        spark = session(work)
        prepare(spark, work)
        folder = ROOT / "tests" / "fixtures" / "batches" / spark.version
        folder.mkdir(parents=True, exist_ok=True)
        capture = Capture(spark)
        for name in sys.argv[1:] or names(spark.version):
            text = capture.text_of(lambda name=name: CASES[name](spark, work))
            (folder / f"{name}.txt").write_text(text.replace(work, WORK) + "\n")
            told = tell(capture.outcomes_of(text) if name in CHANGING else capture.processes_of(text), work)
            file = expectation(name)
            if not file.exists():
                file.write_text("".join(f"{line}\n" for line in told))
            for line in difflib.unified_diff(file.read_text().splitlines(), told, name, "now", lineterm=""):
                print(line)
        spark.stop()


if __name__ == "__main__":
    main()
