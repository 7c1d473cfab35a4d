"""The floors of `.ci/coverage.toml`: a room that falls is named, and floors only rise."""

from __future__ import annotations

from dev.branches import raise_floors, rooms, too_low


def _file(taken: int, number: int) -> dict[str, object]:
    return {"summary": {"num_branches": number, "covered_branches": taken}}


def test_branches_are_counted_by_room() -> None:
    files = {"sac_kafka/atlas/a.py": _file(1, 3), "sac_kafka/log.py": _file(2, 2), "sac_kafka/model/x.py": _file(0, 0)}
    installed = {f"build/venv/lib/python3.11/site-packages/{name}": file for name, file in files.items()}
    expected = {"all": 60, "atlas": 33, "root": 100}
    assert rooms({"files": files}) == rooms({"files": installed}) == expected


def test_a_room_that_falls_or_has_no_floor_is_named() -> None:
    found = list(too_low({"atlas": 80, "plan": 80}, {"atlas": 78, "plan": 79, "new": 90}))
    assert [line.partition(":")[0] for line in found] == ["atlas", "new"]


def test_floors_only_rise() -> None:
    assert list(raise_floors({"atlas": 80, "plan": 80}, {"atlas": 78, "plan": 85}))[1:] == ["atlas = 80", "plan = 85"]
