"""Metrics files: private, written completely and at a bounded rate, with one log line on failure."""

from __future__ import annotations

import errno
import grp
import json
import logging
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from sac_kafka.guard import Guard
from sac_kafka.hook.assembly import assemble
from sac_kafka.hook.metrics.reporting import Reports, file_name, reports
from sac_kafka.hook.metrics.table import METRICS
from sac_kafka.settings import Settings
from sac_kafka.settings.metrics import MetricsSettings
from sac_kafka.stats import Stats, stats_of_none
from sac_kafka.transport import private_files
from tests.helpers.fake_driver import FakeDriver, FakeListener
from tests.helpers.workers import batch


class Shown:
    """Gauges that record their values."""

    def __init__(self) -> None:
        self.numbers: list[tuple[float, ...]] = []
        self.is_closed = False

    def update(self, numbers: Iterable[float]) -> None:
        self.numbers.append(tuple(numbers))

    def close(self) -> None:
        self.is_closed = True


def stats(job: str = "daily") -> Stats:
    return {**stats_of_none(None, {}), "job": job}


def made(shown: Shown | None = None, **settings: object) -> Reports:
    return reports(MetricsSettings(spark=shown is not None, **settings), "app-1", lambda _: shown)  # type: ignore[arg-type]


def test_without_a_path_no_statistics_are_computed_or_written() -> None:
    calls: list[int] = []
    idle = made()
    idle.report_if_due(lambda: calls.append(1) or stats())
    idle.report_last(lambda: calls.append(1) or stats())
    idle.close()
    assert calls == []


def test_files_are_private_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "lineage.prom"
    path.write_text("of an earlier run")
    path.chmod(0o644)
    made(prometheus_path=str(path), json_path=str(tmp_path / "x.json")).report_if_due(stats)

    assert sorted(each.name for each in tmp_path.iterdir()) == ["lineage.prom", "x.json"]
    assert {each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {0o600}
    assert 'sac_kafka_active{job_name="daily",application="app-1"} 1\n' in path.read_text()
    assert json.loads((tmp_path / "x.json").read_text())["application"] == "app-1"


def test_a_directory_has_a_file_a_job(tmp_path: Path) -> None:
    for job in ("daily", "../../etc/x", "a b", "a_b", "größe", "x" * 5000):
        made(prometheus_path=str(tmp_path)).report_last(lambda job=job: stats(job))  # type: ignore[misc]
    names = sorted(each.name for each in tmp_path.iterdir())
    assert len(names) == 6
    assert "sac_kafka-daily.prom" in names
    assert all(name.startswith("sac_kafka-") and len(name) < 120 and name.isascii() for name in names)


def test_a_link_in_the_way_is_replaced_not_followed(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("theirs")
    (tmp_path / "x.prom").symlink_to(theirs)
    made(prometheus_path=str(tmp_path / "x.prom")).report_if_due(stats)
    assert theirs.read_text() == "theirs"
    assert not (tmp_path / "x.prom").is_symlink()


def test_metrics_are_written_once_per_interval_and_at_the_end(tmp_path: Path) -> None:
    now, shown = [100.0], Shown()
    each = Reports(interval_seconds=15, gauges=shown, clock=lambda: now[0], now=lambda: now[0])
    for at in (100.0, 100.2, 114.9, 115.0, 115.1, 200.0):
        now[0] = at
        each.report_if_due(stats)
    each.report_last(stats)
    each.close()
    assert [numbers[1] for numbers in shown.numbers] == [100.0, 115.0, 200.0, 200.0]
    assert [numbers[0] for numbers in shown.numbers] == [1, 1, 1, 0]
    assert {len(numbers) for numbers in shown.numbers} == {len(METRICS)}
    assert shown.is_closed


def test_a_directory_that_is_missing_is_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    missing = tmp_path / "missing"
    each = made(prometheus_path=str(missing / "x.prom"), json_path=str(tmp_path / "x.json"))
    for _ in range(3):
        each.report_last(stats)
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING] == [
        f"metrics are not written to {missing / 'x.prom'}: No such file or directory; create its directory and give this user "
        "write permission, or correct atlas.hook.spark.metrics.prometheus.path"
    ]
    assert (tmp_path / "x.json").exists()
    missing.mkdir()
    each.report_last(stats)
    assert (missing / "x.prom").exists()


@pytest.mark.parametrize(
    ("number", "fix"),
    [
        (errno.ENOSPC, "free disk space there"),
        (errno.EROFS, "make that file system writable"),
        (errno.EACCES, "create its directory and give this user write permission"),
    ],
)
def test_fix_matches_the_error(
    number: int, fix: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replace(path: Path, *_: object) -> None:
        raise OSError(number, "no", str(path))

    monkeypatch.setattr("sac_kafka.transport.private_files.replace", replace)
    made(json_path=str(tmp_path / "x.json")).report_last(stats)
    (line,) = (record.getMessage() for record in caplog.records)
    assert line.endswith(f"x.json: no; {fix}, or correct atlas.hook.spark.metrics.json.path")


def test_missing_directory_is_not_taken_for_a_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    missing = tmp_path / "textfile"
    each = made(prometheus_path=str(missing))
    each.report_last(stats)
    assert not missing.exists()
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING] == [
        f"metrics are not written to {missing}: no such directory (a file name would end in .prom); create its "
        f"directory and give "
        "this user write permission, or correct atlas.hook.spark.metrics.prometheus.path"
    ]
    missing.mkdir()
    each.report_last(stats)
    assert [file.name for file in missing.iterdir()] == ["sac_kafka-daily.prom"]


@pytest.mark.parametrize("job", ["", ".", "..", "a/b", "-"])
def test_a_file_name_stays_in_its_directory(job: str) -> None:
    assert "/" not in file_name(job)


def test_hook_creates_metrics_from_its_settings(tmp_path: Path) -> None:
    driver = FakeDriver(listener=FakeListener(batch("join")))
    keys = {
        "atlas.client.type": "memory",
        "atlas.hook.spool.dir": str(tmp_path),
        "atlas.hook.spark.metrics.spark": "true",
        "atlas.hook.spark.metrics.json.path": str(tmp_path / "x.json"),
    }
    parts = assemble(driver, Settings.read(keys, "test"), Guard())
    parts.worker.run(lambda: parts.reports.report_if_due(lambda: parts.stats({})))

    assert driver.gauge_names == tuple(metric.name for metric in METRICS)
    parts.reports.report_last(lambda: parts.stats({}))
    assert json.loads((tmp_path / "x.json").read_text())["processes"] == 1


@pytest.mark.planted
def test_an_error_costs_no_event(tmp_path: Path) -> None:
    guard = Guard()
    keys = {"atlas.client.type": "memory", "atlas.hook.spool.dir": str(tmp_path)}
    parts = assemble(FakeDriver(listener=FakeListener(batch("join"))), Settings.read(keys, "test"), guard)
    parts.worker.run(lambda: 1 // 0)  # type: ignore[arg-type,return-value]
    assert parts.stats({})["processes"] == 1
    assert guard.counts == {"metrics: ZeroDivisionError": 1}


def test_files_are_readable_by_those_that_the_settings_name(tmp_path: Path) -> None:
    others = next((each for each in os.getgroups() if each != os.getegid()), os.getegid())
    group = grp.getgrgid(others).gr_name
    path, umask = tmp_path / "lineage.prom", os.umask(0o077)
    try:
        made(prometheus_path=str(path), file_mode=0o640, file_group=group).report_if_due(stats)
        assert (path.stat().st_mode & 0o777, path.stat().st_gid) == (0o640, others)
        made(prometheus_path=str(path), file_mode=0o644).report_if_due(stats)
        assert path.stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(umask)
    assert [each.name for each in tmp_path.iterdir()] == ["lineage.prom"]


def test_a_group_that_the_file_cannot_have_is_one_warning_with_the_fix(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = made(prometheus_path=str(tmp_path / "x.prom"), file_group="no-such-group")
    wrong.report_if_due(stats)
    wrong.report_last(stats)
    monkeypatch.setattr(private_files, "is_root", lambda: False)
    monkeypatch.setattr(os, "getgroups", list)
    monkeypatch.setattr(os, "getegid", lambda: 12345)
    made(prometheus_path=str(tmp_path / "x.prom"), file_group=grp.getgrgid(0).gr_name).report_last(stats)

    assert [each.getMessage() for each in caplog.records] == [
        f"metrics are not written to {tmp_path}/x.prom: there is no group no-such-group on this machine; correct "
        "atlas.hook.spark.metrics.file.group",
        f"metrics are not written to {tmp_path}/x.prom: this user is not in the group root; add it, or name another one in "
        "atlas.hook.spark.metrics.file.group",
    ]
    assert [*tmp_path.iterdir()] == []
