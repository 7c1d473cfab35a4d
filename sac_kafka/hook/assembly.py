"""Assemble a hook from its settings: application, pipeline, listener, transport, worker.

Stateless; talks to Spark only through `spark.port`. `attachment` starts and stops the parts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import TextIO

from sac_kafka.atlas.context import context_of
from sac_kafka.guard import Guard
from sac_kafka.hook.dialects import dialect_of, is_purview
from sac_kafka.hook.doors import verify_sent
from sac_kafka.hook.metrics.reporting import reports
from sac_kafka.hook.parts import Parts, close, leave
from sac_kafka.hook.pipeline import Pipeline, selection_of
from sac_kafka.hook.plugins import loading as plugins
from sac_kafka.hook.recording import recorder
from sac_kafka.hook.sent_file import SentFile
from sac_kafka.hook.worker import Worker
from sac_kafka.lineage.datasets.queries.parsing import is_installed
from sac_kafka.lineage.datasets.systems.jdbc_dialects import captured_kinds
from sac_kafka.lineage.model import Application, SessionFacts
from sac_kafka.lineage.runs.identity import Identity, identity_of
from sac_kafka.lineage.runs.job import job_name
from sac_kafka.lineage.runs.shared_names import configured_name_warning, job_name_warning
from sac_kafka.log import logger
from sac_kafka.masking import mask_text
from sac_kafka.plan.specification import specification
from sac_kafka.settings import Settings
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.choices import Compat, QueryText
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.settings.names import Names
from sac_kafka.settings.sinks import ClientType
from sac_kafka.spark.calls import instrument
from sac_kafka.spark.listener import ListenerSettings
from sac_kafka.spark.pipelines import pipeline_name
from sac_kafka.spark.port import SparkDriver
from sac_kafka.spark.session import Session
from sac_kafka.transport.factory import content_of, make_transport, sink_of
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool

_UNKNOWN = Identity()
_CATALOG = "spark.sql.catalog."
_REDACT_KEYS = ("spark.redaction.regex",)
_REDACT_VALUES = ("spark.redaction.string.regex", "spark.sql.redaction.string.regex")


def assemble(driver: SparkDriver, settings: Settings, guard: Guard) -> Parts:
    """Create the parts of a hook and register the listener; if a step fails, the earlier ones are undone.

    Raises:
        SacKafkaError: The settings of a part are wrong, or the driver lacks something that it needs.
    """
    session = driver.session()
    platform = identity(driver, session, settings.names)
    application = application_of(session, settings.names, platform, pipeline=_pipeline(guard))
    with ExitStack() as undo:
        spool = Spool(make_transport(settings, driver), options_of(settings), session.application_id)
        undo.callback(close, spool, guard)
        metastore = driver.metastore(session.conf)
        context = context_of(
            application,
            settings.names,
            content_of(settings),
            is_hive=metastore.uris is not None,
            metastore=metastore.database,
            source_ip=session.conf.get("spark.driver.host", ""),
            joins_parts=sink_of(settings).joins_parts(settings),
            is_purview=is_purview(settings),
        )
        facts = _session_facts(session, driver, is_hive=metastore.uris is not None) if is_purview(settings) else None
        dialect = dialect_of(settings, application, facts or SessionFacts(), driver.spark_file)
        sent_file = sent_file_of(settings, spool.name)
        remembered = sent_file.load() if sent_file is not None else None
        places = sent_file.places if sent_file is not None and settings.names.paths_as_tables else None
        selection = selection_of(settings.filters)
        pipeline = Pipeline(
            context,
            settings.sink.topic,
            remembered,
            dialect=dialect,
            selection=selection,
            places=places,
            follows_rdds=settings.driver.follows_rdds,
            guard=guard,
        )
        looks_up = metastore.is_local and not context.naming.is_hive(None)
        of_listener = listener_settings(settings.content, settings.driver, session.conf, looks_up_catalog=looks_up)
        # Plug-ins are loaded first: the listener projects only the classes in its specification, theirs included.
        options = plugins.load()
        listener = driver.listen(specification(options, follows_rdds=settings.driver.follows_rdds), of_listener)
        undo.callback(leave, listener, guard)
        calls = instrument(
            listener,
            guard,
            follows_rdds=settings.driver.follows_rdds,
            statement_values=settings.driver.statement_values,
        )
        undo.callback(calls.restore)
        worker = Worker(
            listener,
            pipeline,
            spool,
            guard,
            settings.driver.exit_timeout_seconds,
            sent_file=sent_file,
            recorder=_recorder(settings, application, facts),
        )
        metric_reports = reports(settings.metrics, session.application_id, driver.gauges)
        undo.pop_all()
    return Parts(
        listener=listener,
        pipeline=pipeline,
        spool=spool,
        worker=worker,
        calls=calls,
        exit_seconds=settings.driver.exit_timeout_seconds,
        reports=metric_reports,
        verify=partial(verify_sent, settings, pipeline.sent, spool),
    )


def _session_facts(session: Session, driver: SparkDriver, *, is_hive: bool) -> SessionFacts:
    """Return the properties of the session on which the names of Purview's assets depend."""
    keys = (key.removeprefix(_CATALOG) for key in session.conf if key.startswith(_CATALOG))
    return SessionFacts(
        mounts=driver.mounts(session.conf),
        is_hive=is_hive,
        configured_catalogs=frozenset(key for key in keys if "." not in key),
    )


def identity(driver: SparkDriver, session: Session, names: Names) -> Identity:
    """Identify the job on its platform; warnings are logged if the job's name depends on it."""
    found = identity_of({**session.conf, **driver.thread_properties}, os.environ)
    for doubt in found.warnings if names.has_no_job_name else ():
        logger.warning("%s", doubt)
    return found


def _pipeline(guard: Guard) -> str | None:
    """Return the name of the Declarative Pipeline that this process runs; None if it runs none or its file is unreadable."""
    with guard("specification of a pipeline"):
        return pipeline_name(sys.modules.get("__main__"), sys.argv[1:])
    return None


def application_of(
    session: Session, names: Names, identity: Identity = _UNKNOWN, pipeline: str | None = None
) -> Application:
    """Return the application with its job name; secrets in names are masked, because names go into messages.

    Args:
        session: The session of the application.
        names: The settings of names.
        identity: The identity of the job on its platform.
        pipeline: The name of the Declarative Pipeline, if it is one; the applications of all pipelines have the same name.
    """
    name = mask_text(session.name)
    return Application(
        job=job_name(names.job_name, mask_text(pipeline or name), identity.job),
        application_id=session.application_id,
        name=name,
        user=session.user,
        spark_version=session.spark_version,
        attempt=session.attempt,
        started_ms=session.started_ms,
        facts=identity.facts,
        is_job_chosen=bool(names.job_name or identity.job),
    )


def sent_file_of(settings: Settings, place: str) -> SentFile | None:
    """Return the file with what earlier runs have sent to `place`; None if the sink is not a server or the file is disabled."""
    names, content = settings.names, settings.content
    if sink_of(settings).address is None or not content.sent_max_age_seconds or names.compat is Compat.SAC:
        return None
    chosen = (each.value if each is not None else "auto" for each in (content.message_form, content.table_model))
    purview = ("purview", settings.purview.process_types.value) if is_purview(settings) else ()
    sink = "|".join((place, settings.sink.topic, names.namespace, *chosen, *purview))
    return SentFile(settings.spool.dir, sink, max_age_ms=int(content.sent_max_age_seconds * 1000))


_MASKED_RECORD = (
    "sac_kafka: SQL text is masked, although atlas.hook.spark.query.text is verbatim, because recordings contain no "
    "literals; to get verbatim text remove atlas.hook.spark.record.path"
)


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
    )


def _recorder(settings: Settings, application: Application, facts: SessionFacts | None) -> TextIO | None:
    path = settings.driver.record_path
    if not path:
        return None
    if settings.content.query_text is QueryText.VERBATIM:
        logger.warning("%s", _MASKED_RECORD)
    return recorder(path, application, facts)


_LOCAL_SINKS = (ClientType.CONSOLE, ClientType.MEMORY)
"""Sinks whose messages reach no server, so that names of two environments cannot collide."""


def warn(settings: Settings, application: Application) -> None:
    """Warn of settings that are valid but probably not intended."""
    names = settings.names
    why = job_name_warning(application.job) if names.has_no_job_name else configured_name_warning(application.job)
    if why is not None:
        logger.warning("%s", why)
    if names.namespace_is_default and settings.sink.client_type not in _LOCAL_SINKS:
        logger.warning(
            "atlas.metadata.namespace is not set: names end in @%s, and environments that share it overwrite each other's "
            "entities; set it to the name of this environment",
            names.namespace,
        )
