"""What the last line says: each reason follows its number."""

from __future__ import annotations

from sac_kafka.stats import Completeness, Messages, SpoolStats, Stats, ended_as_text, is_all_delivered, stats_of_none

FIGURES = SpoolStats(directory="/s", files=1, records=3, bytes=9)


def stats(**messages: int) -> Stats:
    none = stats_of_none(None, {})
    counts = Messages(delivered=5, spooled=0, dropped=0, rejected=0, replayed=0, in_flight=0)
    return {**none, "executions": 1, "processes": 2, "messages": {**counts, **messages}, "spool": FIGURES}  # type: ignore[typeddict-item]


def test_a_good_end_needs_no_reason() -> None:
    assert ended_as_text(stats(), {"spooled": {}, "dropped": {}}) == (
        "1 execution seen, 2 flows reported, 5 messages delivered, 0 spooled, 0 dropped"
    )
    assert is_all_delivered(stats())


def test_each_reason_follows_its_number() -> None:
    reasons = {
        "spooled": {"no broker answers": 3},
        "dropped": {"disk full": 1, "too old": 2},
        "rejected": {"too large": 1},
    }
    found = stats(spooled=3, dropped=3, rejected=1, replayed=2)
    found["listener"], found["errors"] = {"dropped: hand-off full": 4}, {"lineage: KeyError": 1}

    assert ended_as_text(found, reasons) == (
        "1 execution seen, 2 flows reported, 5 messages delivered, 3 spooled (no broker answers: 3), "
        "3 dropped (disk full: 1; too old: 2), 1 rejected (too large: 1), 2 of earlier applications delivered, "
        "4 events lost or cut (dropped: hand-off full: 4), 1 error (lineage: KeyError: 1); undelivered messages are in /s"
    )
    assert not is_all_delivered(found)


def test_repeated_reason_is_abbreviated() -> None:
    line = ended_as_text(stats(spooled=3), {"spooled": {"x" * 100: 3}}, lambda _: "see above")
    assert "3 spooled (see above: 3), 0 dropped" in line


def test_filtered_datasets_are_summarised() -> None:
    found = stats()
    found["excluded"]["processes"] = {"job:adhoc-*": 1, "table:tmp_*": 1}
    found["excluded"]["datasets"] = {"path:_temporary/** (default)": 1}
    line = ended_as_text(found, {})
    assert is_all_delivered(found)
    assert line.endswith(", 0 dropped, excluded by rules: 2 flows and 1 dataset")
    found["excluded"]["changes"] = {"table:tmp_*": 3}
    assert ended_as_text(found, {}).endswith("excluded by rules: 2 flows, 1 dataset and 3 changes")


def test_last_line_has_the_completeness_of_writes() -> None:
    found = stats()
    assert "lineage" not in ended_as_text(found, {})  # nothing was written
    found["completeness"] = Completeness(writes=2, with_table_lineage=2, with_column_lineage=2, reasons={})
    assert ended_as_text(found, {}) == (
        "1 execution seen, 2 flows reported, 5 messages delivered, 0 spooled, 0 dropped, lineage of 2 writes complete"
    )
    reasons = {"a: x": 1, "b: y": 3, "c: z": 2, "d: w": 1, "e: v": 1}
    found["completeness"] = Completeness(writes=9, with_table_lineage=5, with_column_lineage=1, reasons=reasons)
    line = ended_as_text(found, {})
    assert is_all_delivered(found)
    assert line.endswith("lineage of 9 writes: 5 with tables, 1 with columns (b: y: 3; c: z: 2; a: x: 1; others: 2)")
