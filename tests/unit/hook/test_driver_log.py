"""The two lines of every driver's log: where they go, and in which form."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import sac_kafka
from sac_kafka.hook import exits
from sac_kafka.hook.application import application_of
from sac_kafka.hook.driver_log import DriverLog, driver_log
from sac_kafka.log import logger
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import DialectName, ReportForm
from sac_kafka.settings.files.source import SettingsSource
from sac_kafka.settings.metrics import MetricsSettings
from sac_kafka.settings.names import Names
from sac_kafka.settings.purview import Purview
from sac_kafka.stats import Stats, stats_of_none
from tests.helpers.fake_driver import FakeDriver
from tests.helpers.hooks import Bench

CONF = {"spark.master": "spark://h:7077", "spark.submit.deployMode": "cluster"}
ATTACHED = (
    f"attached to local-1 (job orders): version {sac_kafka.__version__}, messages go to kafka h:9092, configuration /etc/f, "
    "driver Python on standalone in cluster mode, Spark 4.3.0"
)
ENDED = "ended on local-1 (job orders): 0 executions seen, 0 flows reported, 2 messages delivered, 0 spooled, 0 dropped"
JSON_OF_BOTH = {"logger": "sac_kafka", "application": "local-1", "job": "orders"}


def log_of(
    form: ReportForm = ReportForm.TEXT, *, driver: FakeDriver | None = None, job: str = "orders", **more: Any
) -> DriverLog:
    driver = driver or FakeDriver(CONF)
    names = Names(job_name=job)
    settings = Settings(metrics=MetricsSettings(report=form), names=names, source=SettingsSource("/etc/f"), **more)
    session = driver.session()
    return driver_log(driver, session, application_of(session, names), settings, "kafka h:9092")


def stats(**messages: int) -> Stats:
    none = stats_of_none(None, {})
    return {**none, "messages": {**none["messages"], "delivered": 2, **messages}}  # type: ignore[typeddict-item]


def both(log: DriverLog, **messages: int) -> None:
    log.log_start()
    log.log_end(stats(**messages), {"spooled": {"no broker": 1}} if messages else {}, is_stalled=False)


@pytest.fixture
def unconfigure(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what takes away pytest's handlers, as in a driver that does not configure logging; a test calls it."""
    return lambda: monkeypatch.setattr(logging.getLogger(), "handlers", [])


def test_without_logging_the_lines_are_on_standard_error_whatever_that_is(
    unconfigure: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    unconfigure()
    both(log_of())

    assert capsys.readouterr() == ("", f"sac_kafka: {ATTACHED}\nsac_kafka: {ENDED}\n")


def test_logging_that_shows_info_has_the_lines_and_standard_error_has_not(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)
    both(log_of())

    assert [(each.name, each.levelname, each.getMessage()) for each in caplog.records] == [
        ("sac_kafka", "INFO", ATTACHED),
        ("sac_kafka", "INFO", ENDED),
    ]
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("configured", "on_standard_error", "logged"),
    [
        ("pass", True, False),
        ("logging.basicConfig()", True, False),  # at WARNING, Python's default
        ("logging.basicConfig(level=logging.INFO)", False, True),
        ("logging.basicConfig(level=logging.INFO); logging.root.handlers[0].setLevel('ERROR')", True, False),
        ("logging.getLogger('sac_kafka').setLevel(logging.WARNING)", False, False),
        ("logging.getLogger().setLevel(logging.ERROR)", False, False),
        ("logging.disable(logging.CRITICAL)", False, False),
        ("log.fall_silent()", False, False),
    ],
)
def test_each_way_to_configure_logging(configured: str, on_standard_error: bool, logged: bool) -> None:
    code = f"import logging; from sac_kafka import log; {configured}; log.logger.report(logging.INFO, 'a line')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == ""
    assert done.stderr == "sac_kafka: a line\n" * on_standard_error + "INFO:sac_kafka:a line\n" * logged


def test_a_driver_whose_jvm_has_another_standard_error_has_the_lines_there(
    unconfigure: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    unconfigure()
    written: list[str] = []
    driver = FakeDriver(CONF)
    driver.standard_error = lambda: written.append  # type: ignore[method-assign,assignment]
    log = log_of(driver=driver)
    both(log, spooled=1)
    assert [line.partition(" on ")[0].partition(" to ")[0] for line in written] == [
        "sac_kafka: attached",
        "sac_kafka: ended",
    ]
    assert capsys.readouterr() == ("", "")

    log.log_end(stats(), {}, is_stalled=True)
    assert (len(written), capsys.readouterr().err) == (2, f"sac_kafka: {ENDED}\n")

    def fail(_: str) -> None:
        raise ConnectionError("the JVM is gone")

    replace(log, write=fail).log_end(stats(), {}, is_stalled=False)
    assert capsys.readouterr().err == f"sac_kafka: {ENDED}\n"


def test_json_is_one_object_a_line_whatever_the_names_are(
    unconfigure: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    unconfigure()
    job = 'a "b"\nsac_kafka: FAKE \x1b[2J password=hunter2222 ü' + "x" * 9000
    both(log_of(ReportForm.JSON, job=job), spooled=1, dropped=2)
    lines = capsys.readouterr().err.splitlines()

    first, last = map(json.loads, lines)
    assert "hunter2222" not in "".join(lines)
    assert first["job"] == last["job"]
    assert first["job"].startswith('a "b"\nsac_kafka: FAKE \x1b[2J password=***')
    assert first["job"].endswith("x" * 9000)
    assert all(line.isascii() and line.isprintable() for line in lines)
    del first["job"], first["time"]
    assert first == {
        "logger": "sac_kafka",
        "event": "attached",
        "application": "local-1",
        "version": sac_kafka.__version__,
        "destination": "kafka h:9092",
        "dialect": "atlas",
        "configuration": "/etc/f",
        "driver": "Python",
        "master": "standalone",
        "deploy_mode": "cluster",
        "spark": "4.3.0",
    }
    assert {key: last[key] for key in ("event", "is_all_delivered", "delivered", "spooled", "dropped", "reasons")} == {
        "event": "ended",
        "is_all_delivered": False,
        "delivered": 2,
        "spooled": 1,
        "dropped": 2,
        "reasons": {"spooled": {"no broker": 1}},
    }


def test_json_in_logging_stays_json(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    both(log_of(ReportForm.JSON), spooled=1)

    assert [json.loads(each.getMessage())["event"] for each in caplog.records] == ["attached", "ended"]
    assert [each.levelname for each in caplog.records] == ["INFO", "WARNING"]


def test_off_hides_both_lines_but_no_loss(unconfigure: Callable[[], None], capsys: pytest.CaptureFixture[str]) -> None:
    unconfigure()
    both(log_of(ReportForm.OFF))
    assert capsys.readouterr() == ("", "")
    both(log_of(ReportForm.OFF), spooled=1)
    assert capsys.readouterr().err.startswith("sac_kafka: ended on local-1 (job orders): ")


def test_the_dialect_of_purview_is_named(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    log_of(purview=Purview(dialect=DialectName.PURVIEW)).log_start()

    assert "messages go to kafka h:9092, in the dialect purview, configuration" in caplog.text


@pytest.mark.parametrize(
    ("is_python", "runs_job", "modules", "kind"),
    [
        (True, True, {}, "Python"),
        (True, True, {"ipykernel": sys}, "notebook kernel"),
        (False, True, {}, "JVM (by the runner)"),
        (False, False, {}, "JVM (by the jar)"),
    ],
)
def test_the_kind_of_the_driver(
    is_python: bool, runs_job: bool, modules: Mapping[str, Any], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = FakeDriver()
    driver.is_python = is_python
    monkeypatch.setattr(exits, "_runs_job", runs_job)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)

    assert log_of(driver=driver).facts["driver"] == kind


def test_in_a_kernel_the_lines_are_in_its_log_and_not_in_a_cell(
    unconfigure: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unconfigure()
    with (tmp_path / "log").open("wb") as log:
        cell: list[str] = []
        kind = type("OutStream", (), {"fileno": lambda _: log.fileno(), "write": lambda _, text: cell.append(text)})
        kind.__module__ = "ipykernel.iostream"
        monkeypatch.setattr(sys, "stderr", kind())
        logger.report(logging.INFO, "a line")

    assert ((tmp_path / "log").read_text(), cell) == ("sac_kafka: a line\n", [])


def test_a_hook_that_ends_has_both_lines(make: Callable[..., Bench], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    bench = make()
    hook = bench.start()
    bench.listener.go.set()
    bench.attachment.drain()

    assert not hook.is_active
    assert [each.getMessage().split()[0] for each in caplog.records if each.levelno >= logging.INFO] == [
        "attached",
        "ended",
    ]
    assert isinstance(bench.attachment.context, SimpleNamespace)
