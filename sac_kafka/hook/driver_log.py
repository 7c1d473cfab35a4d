"""Write the two lines of a hook in the driver's log: when it is attached, and when it has ended (`atlas.hook.spark.report`)."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone

from sac_kafka.hook import exits
from sac_kafka.log import logger, write_line
from sac_kafka.masking import mask_line
from sac_kafka.model import Application
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import ReportForm
from sac_kafka.settings.sinks import ClientType
from sac_kafka.spark.port import SparkDriver
from sac_kafka.spark.session import Session
from sac_kafka.stats import Stats, ended_as_json, ended_as_text, is_all_delivered
from sac_kafka.transport.reader import dialect_name
from sac_kafka.version import __version__

_MASTERS = {"spark": "standalone"}

Reasons = Mapping[str, Mapping[str, int]]
"""Reasons of spooled, dropped and rejected messages: state to reason to number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverLog:
    """The two lines of one hook.

    Attributes:
        form: The form of the lines.
        application_id: Spark's application id.
        job: The job's name in messages.
        facts: What the first line says beyond these, by key of the JSON line.
        is_for_console: Whether messages are drawn on the console, where people see other lines of the hook, too.
        write: Writes a line to the driver's standard error.
    """

    form: ReportForm = ReportForm.TEXT
    application_id: str = ""
    job: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    is_for_console: bool = False
    write: Callable[[str], None] = write_line

    def log_start(self) -> None:
        """Write the line of the start."""
        logger.is_for_console = self.is_for_console
        if self.form is ReportForm.JSON:
            self._write_json(logging.INFO, "attached", self.facts)
        elif self.form is ReportForm.TEXT:
            facts = self.facts
            dialect = ", in the dialect purview" if facts["dialect"] == "purview" else ""
            where = f"{facts['driver']} on {facts['master']} in {facts['deploy_mode']} mode, Spark {facts['spark']}"
            self._write(
                logging.INFO,
                f"attached to {self.application_id} (job {self.job}): version {facts['version']}, messages go to "
                f"{facts['destination']}{dialect}, configuration {facts['configuration']}, driver {where}",
            )

    def log_end(self, stats: Stats, reasons: Reasons, *, is_stalled: bool) -> None:
        """Write the line of the end, as a warning if not everything was delivered.

        Args:
            stats: The statistics of the hook.
            reasons: The reasons of undelivered messages.
            is_stalled: Whether the driver's JVM may have stopped to answer: the line goes to Python's standard error.
        """
        logger.is_for_console = False
        is_good = is_all_delivered(stats)
        if self.form is ReportForm.OFF and is_good:
            return
        level = logging.INFO if is_good else logging.WARNING
        if self.form is ReportForm.JSON:
            self._write_json(level, "ended", ended_as_json(stats, reasons), is_stalled=is_stalled)
            return
        text = ended_as_text(stats, reasons, logger.above)
        self._write(level, f"ended on {self.application_id} (job {self.job}): {text}", is_stalled=is_stalled)

    def _write_json(self, level: int, event: str, facts: Mapping[str, object], *, is_stalled: bool = False) -> None:
        entry = {"event": event, "time": datetime.now(timezone.utc).isoformat(timespec="milliseconds")}
        known = {"logger": logger.name, **entry, "application": self.application_id, "job": self.job, **facts}
        self._write(level, json.dumps(_mask(known)), is_json=True, is_stalled=is_stalled)

    def _write(self, level: int, line: str, *, is_json: bool = False, is_stalled: bool = False) -> None:
        logger.report(level, line, write_line if is_stalled else self._write_to_driver, is_json=is_json)

    def _write_to_driver(self, line: str) -> None:
        try:
            self.write(line)
        except Exception as error:  # noqa: BLE001 the driver's JVM has ended
            logger.debug("the driver's standard error cannot be written: %s", type(error).__name__)
            write_line(line)


def driver_log(
    driver: SparkDriver, session: Session, application: Application, settings: Settings, destination: str
) -> DriverLog:
    """Return the lines of a hook; `destination` is where its messages go."""
    facts = {
        "version": __version__,
        "destination": destination,
        "dialect": dialect_name(settings).value,
        "configuration": settings.source.text,
        "driver": _kind(driver),
        "master": _master(session.conf.get("spark.master", "")),
        "deploy_mode": session.conf.get("spark.submit.deployMode", "client"),
        "spark": session.spark_version,
    }
    return DriverLog(
        form=settings.metrics.report,
        application_id=application.application_id,
        job=application.job,
        facts=facts,
        is_for_console=settings.sink.client_type is ClientType.CONSOLE,
        write=driver.standard_error() or write_line,
    )


def _mask(value: object) -> object:
    """Return a JSON value with secrets masked in all its texts."""
    if isinstance(value, str):
        return mask_line(value, len(value))
    if isinstance(value, Mapping):
        return {_mask(key): _mask(each) for key, each in value.items()}
    return value


def _kind(driver: SparkDriver) -> str:
    """Return what kind of program the driver runs."""
    if not driver.is_python:
        return "JVM (by the runner)" if exits.runs_job() else "JVM (by the jar)"
    if "ipykernel" in sys.modules:
        return "notebook kernel"
    return "Python shell" if hasattr(sys, "ps1") else "Python"


def _master(url: str) -> str:
    """Return the kind of cluster manager in the URL of a master, without hosts.

    >>> _master("local[*]"), _master("spark://h:7077"), _master("yarn"), _master("k8s://https://h:6443")
    ('local', 'standalone', 'yarn', 'k8s')
    """
    kind = url.partition("[")[0].partition(":")[0]
    return _MASTERS.get(kind, kind) or "an unknown master"
