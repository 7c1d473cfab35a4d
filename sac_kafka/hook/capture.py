"""Start capturing in a driver: register the listener, and instrument the PySpark methods that no event reports."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack

from sac_kafka.errors import AttachError, ServedError
from sac_kafka.guard import Guard
from sac_kafka.hook.parts import leave
from sac_kafka.hook.plugins import loading as plugins
from sac_kafka.names.jdbc_dialects import captured_kinds, is_installed
from sac_kafka.plan.job_properties import PLATFORM_KEYS
from sac_kafka.plan.specification import specification
from sac_kafka.settings import Settings
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.choices import QueryText
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.spark.calls import instrument
from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.listener import Listener, ListenerSettings
from sac_kafka.spark.port import SparkDriver
from sac_kafka.spark.versions import too_new

_REDACT_KEYS = ("spark.redaction.regex",)
_REDACT_VALUES = ("spark.redaction.string.regex", "spark.sql.redaction.string.regex")


def capture(
    driver: SparkDriver,
    spark_version: str,
    settings: Settings,
    of_listener: ListenerSettings,
    guard: Guard,
    undo: ExitStack,
) -> tuple[Listener, Instrumentor]:
    """Register the listener and instrument PySpark; what is to be undone is added to `undo`. Raises AttachError."""
    bounds = settings.driver
    # Plug-ins are loaded first: the listener projects only the classes in its specification, theirs included.
    options = plugins.load()
    try:
        listener = driver.listen(specification(options, follows_rdds=bounds.follows_rdds), of_listener)
    except AttachError as error:
        raise _with_version(error, spark_version) from error
    undo.callback(leave, listener, guard)
    calls = instrument(listener, guard, follows_rdds=bounds.follows_rdds, statement_values=bounds.statement_values)
    undo.callback(calls.restore)
    return listener, calls


def _with_version(error: AttachError, spark_version: str) -> AttachError:
    """Return the error, with the version of a Spark that is newer than the tested ones: probably its cause."""
    new = too_new(spark_version)
    return error if new is None or isinstance(error, ServedError) else AttachError(f"{error}; {new}")


def listener_settings(
    content: Content, bounds: DriverBounds, conf: Mapping[str, str], *, looks_up_catalog: bool
) -> ListenerSettings:
    """Return the settings of the listener.

    Recordings are made to be shared, so literals stay in the driver's JVM while one is written. `looks_up_catalog` is set only
    if that needs no network call.
    """
    return ListenerSettings(
        literals=content.query_text is QueryText.VERBATIM and not bounds.record_path,
        bounds=bounds,
        looks_up_catalog=looks_up_catalog,
        redact_keys=tuple(conf[k] for k in _REDACT_KEYS if conf.get(k)),
        redact_values=tuple(conf[k] for k in _REDACT_VALUES if conf.get(k)),
        foreign_kinds=captured_kinds() if is_installed() else {},
        job_keys=PLATFORM_KEYS,
    )
