"""What `attach` gathers: settings from where they lie, the application from the session, what the listener needs.

`Hook` wires with it; nothing here keeps state.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sac_kafka.config.finding import Places
from sac_kafka.config.reading import read_configuration
from sac_kafka.errors import ConfigurationError
from sac_kafka.lineage.job import job_name
from sac_kafka.lineage.model import Application
from sac_kafka.pipeline import recorded_application
from sac_kafka.remembering import SentFile
from sac_kafka.settings import Settings
from sac_kafka.spark import session as spark_session
from sac_kafka.spark.listener import ListenerSettings

logger = logging.getLogger("sac_kafka")

_REDACT_KEYS = ("spark.redaction.regex",)
_REDACT_VALUES = ("spark.redaction.string.regex", "spark.sql.redaction.string.regex")


def application_of(session: spark_session.Session, settings: Settings) -> Application:
    """The application under the name of its job."""
    return Application(
        job=job_name(settings.job_name, session.name),
        application_id=session.application_id,
        name=session.name,
        user=session.user,
        spark_version=session.spark_version,
        attempt=session.attempt,
        started_ms=session.started_ms,
    )


def sent_file(settings: Settings, place: str) -> SentFile | None:
    """The memory of earlier runs; `place` is where messages go. None where nothing lasts, or nothing is to be kept."""
    if settings.client_type in ("console", "memory") or not settings.sent_max_age_seconds or settings.compat == "sac":
        return None
    sink = "|".join((place, settings.topic, settings.namespace, settings.message_form, settings.table_model))
    return SentFile(settings.spool_dir, sink, max_age_ms=int(settings.sent_max_age_seconds * 1000))


def read_settings(context: Any) -> tuple[Settings, str]:  # noqa: ANN401 a SparkContext
    """The settings, and where they come from."""

    def system(name: str) -> str | None:
        return spark_session.system_property(context, name)

    places = Places(
        system_property=system("atlas.conf"),
        environment=os.environ.get("ATLAS_CONF"),
        working_directory=str(Path.cwd()),
        spark_files=spark_session.spark_file,
        spark_conf=spark_session.read_session(context).conf,
        file_name=system("atlas.properties"),
    )
    places = replace(places, class_path=spark_session.class_path_resource(context, places.name))
    configuration = read_configuration(places, system)
    settings = Settings.read(configuration.values, configuration.source, configuration.origins, configuration.firsts)
    return settings, configuration.source


def listener_settings(settings: Settings, conf: Mapping[str, str], *, is_hive: bool) -> ListenerSettings:
    """What the listener needs of the settings; tables of a remote Hive metastore are not looked up."""
    return ListenerSettings(
        handoff_events=settings.handoff_events,
        queue_events=settings.queue_events,
        queue_characters=settings.queue_bytes,
        event_values=settings.event_values,
        stuck_ms=int(settings.stuck_seconds * 1000),
        stop_wait_ms=int(settings.stop_wait_seconds * 1000),
        stack_bytes=settings.projector_stack_bytes,
        literals=settings.query_text == "verbatim",
        looks_up_catalog=not is_hive,
        redact_keys=tuple(conf[k] for k in _REDACT_KEYS if conf.get(k)),
        redact_values=tuple(conf[k] for k in _REDACT_VALUES if conf.get(k)),
    )


def recorder(path: str, application: Application) -> Any:  # noqa: ANN401 a text file
    """The file that batches are recorded to: readable by its owner only."""

    def private(name: str, flags: int) -> int:
        return os.open(name, flags, 0o600)

    try:
        file = open(path, "a", encoding="utf-8", opener=private)  # noqa: SIM115 the worker closes it
    except OSError as e:
        raise ConfigurationError(
            f"atlas.hook.spark.record.path = {path}: {e.strerror}; name a file that can be written, or unset it"
        ) from e
    if file.tell() == 0:
        file.write(recorded_application(application) + "\n")
    return file


def warn(settings: Settings) -> None:
    """Log what is allowed, but hardly meant."""
    if settings.namespace_is_default:
        logger.warning(
            "sac_kafka: atlas.metadata.namespace is not set: names end in @%s, and environments that share it overwrite "
            "each other; set it",
            settings.namespace,
        )
    for key in settings.unknown:
        logger.warning("sac_kafka: unknown setting %s: it has no effect", key)
