"""Run generated queries and print every difference: `python -m tests.live.generated [FIRST] [COUNT]`."""

from __future__ import annotations

import sys
import tempfile

from tests.helpers.live_runs import session
from tests.live.generated.choices import Choices
from tests.live.generated.running import SETTINGS, Runner, prepare
from tests.live.generated.trees import statement


def main() -> None:
    first, count = (int(a) for a in (*sys.argv[1:], *("0", "100")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as work:
        spark = session(work, **SETTINGS)
        prepare(spark)
        runner = Runner(spark)
        different = 0
        for seed in range(first, first + count):
            choices = Choices(seed)
            made = statement(choices, f"q{seed}")
            try:
                (difference,) = runner.run([made])
            except AssertionError as e:
                different += 1
                print(f"seed {seed}: {e}\n", flush=True)
                continue
            if difference:
                different += 1
                print(f"seed {seed}:\n{made}\n{difference}\nsmallest:\n{runner.smallest(seed, choices)}\n", flush=True)
        print(f"{count} queries, {different} different")
        spark.stop()


if __name__ == "__main__":
    main()
