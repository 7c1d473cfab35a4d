"""The table of benchmarks/README.md, as `make bench` writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

from benchmarks.bridge import STAGES, shares
from benchmarks.table import BEGIN, END, PAGE, Result, Row, in_turns, load, machine, save, table, together, written

PAIRED = Row("writes, wall", "ms", (110.0, 130.0, 90.0, 1_400.0), (100.0, 100.0, 100.0, 1_000.0))
ALONE = Row("attaching", "s", (1.25, 1.0))


def test_a_row_has_medians_and_the_middle_half_of_the_pairs_differences() -> None:
    lines = table([Result((PAIRED, ALONE), "2026-11-28", "a machine", 2.0)]).splitlines()
    assert lines[0] == "Measured 2026-11-28 on: a machine; load 2.0 to 2.0."
    assert lines[-2:] == [
        "| writes, wall | 120 ms | 100 ms | 20.0 ms (5.00 to 122) | 4 |",
        "| attaching | 1.12 s (1.06 to 1.19) | | | 2 |",
    ]


def test_days_and_loads_of_several_commands() -> None:
    results = [Result((ALONE,), "2026-11-29", "a machine", 0.5), Result((PAIRED,), "2026-11-28", "a machine", 4.0)]
    assert table(results).splitlines()[0] == "Measured 2026-11-28 to 2026-11-29 on: a machine; load 0.5 to 4.0."


def test_figures_are_written_between_the_markers() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert written(page, "new\n") == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
    assert written(written(page, "new\n"), "new\n") == written(page, "new\n")
    with pytest.raises(ValueError, match="figures"):
        written("before", "new")


def test_figures_of_another_machine_are_forgotten(tmp_path: Path) -> None:
    results = {
        "here": Result((PAIRED,), "2026-11-28", machine(), 1.0),
        "there": Result((ALONE,), "2026-11-28", "another", 1.0),
    }
    save(tmp_path / "build" / "results.json", results)
    (found,) = load(tmp_path / "build" / "results.json").items()
    assert found[0] == "here"
    assert table([found[1]]) == table([results["here"]])


def test_pairs_of_a_later_command_are_added() -> None:
    first, second = (Result((Row("a", "s", (n,), (1.0,)), ALONE), "2026-11-28", "m", n) for n in (2.0, 4.0))
    both = together(first, second)
    assert (both.rows[0].values, both.rows[0].without, both.load) == ((2.0, 4.0), (1.0, 1.0), 4.0)
    assert both.rows[1].values == (*ALONE.values, *ALONE.values)


def test_runs_of_pairs_alternate() -> None:
    order: list[bool] = []
    found = in_turns(2, lambda has_hook: {"n": float(order.append(has_hook) or len(order))})
    assert order == [False, True, True, False]
    assert found == {"n": ([2.0, 3.0], [1.0, 4.0])}


def test_the_page_has_figures() -> None:
    figures = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
    assert figures.startswith("\n\nMeasured 20")
    assert len(figures.splitlines()) > 10


class Profile:
    """A profile of the worker of a bridge: each stage has 2 of 20 seconds, with what is within it."""

    stats: ClassVar[Any] = {
        ("own.py", 1, "rest"): (1, 1, 10.0, 20.0, {}),
        **{(*place.split(":")[:1], 1, place.split(":")[1]): (1, 1, 10 / 6, 2.0, {}) for place, _ in STAGES.values()},
    }

    def create_stats(self) -> None:
        """Do nothing: they are there."""


def test_shares_of_a_bridge_are_its_whole_time() -> None:
    found = dict(shares(Profile()))  # type: ignore[arg-type]
    assert [*found] == [*STAGES, "other"]
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["other"] == pytest.approx(0.5)
