"""What a hook is put together of: the application, the stages, the listener, the worker.

Nothing here keeps state, or knows Spark but through its port; `attachment` runs and ends the parts.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TextIO

from sac_kafka.atlas.context import context_of
from sac_kafka.config.choices import Compat, QueryText
from sac_kafka.config.secrets import mask_text
from sac_kafka.dialects import dialect_of, is_purview
from sac_kafka.figures import LeftOut, SpoolFigures, Stats
from sac_kafka.guard import Guard
from sac_kafka.hook.sent_file import SentFile
from sac_kafka.hook.worker import Worker
from sac_kafka.landing.landed import Landed
from sac_kafka.landing.of_hook import landed_of
from sac_kafka.lineage.datasets.queries.parsing import is_installed
from sac_kafka.lineage.datasets.systems.jdbc_dialects import travelling_kinds
from sac_kafka.lineage.model import Application
from sac_kafka.lineage.runs.identity import Identity, identity_of
from sac_kafka.lineage.runs.job import job_name
from sac_kafka.lineage.runs.shared_names import doubt_of, doubt_of_chosen
from sac_kafka.log import logger
from sac_kafka.metrics.reporting import Reports, reports
from sac_kafka.pipeline import Pipeline, selection_of
from sac_kafka.plan.specification import specification
from sac_kafka.purview.surroundings import SessionFacts
from sac_kafka.recording import recorder
from sac_kafka.settings import Settings
from sac_kafka.settings.content import Content
from sac_kafka.settings.driver import DriverBounds
from sac_kafka.settings.names import Names
from sac_kafka.settings.sinks import ClientType
from sac_kafka.sources import loading as plugins
from sac_kafka.spark.calls import watched
from sac_kafka.spark.calls.wrapping import Wrapping
from sac_kafka.spark.listener import GoneError, ListenerSettings
from sac_kafka.spark.pipelines import pipeline_name
from sac_kafka.spark.port import Listening, SparkDriver
from sac_kafka.spark.session import Session
from sac_kafka.transport.factory import content_of, make_transport, sink_of
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool

_UNKNOWN = Identity()
_CATALOG = "spark.sql.catalog."
_REDACT_KEYS = ("spark.redaction.regex",)
_REDACT_VALUES = ("spark.redaction.string.regex", "spark.sql.redaction.string.regex")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of a hook that is attached; the worker runs them, `exit_seconds` is what their end may take.

    `landed` looks up what was sent, within seconds.
    """

    listener: Listening
    pipeline: Pipeline
    spool: Spool
    worker: Worker
    calls: Wrapping
    exit_seconds: float
    reports: Reports = field(default_factory=Reports)
    landed: Callable[[float], Landed] = lambda _: Landed()

    def stats(self, errors: Mapping[str, int]) -> Stats:
        """What they have seen and done so far; `errors` are those that were swallowed."""
        captured, waiting, left_out = dict(self.pipeline.counts), self.spool.figures, self.pipeline.left_out
        return Stats(
            disabled=None,
            job=self.pipeline.application.job,
            sink=self.spool.name,
            executions=captured.pop("executions", 0),
            failed=captured.pop("executions failed", 0),
            processes=self.pipeline.processes,
            completeness=self.pipeline.writes.total,
            messages=self.worker.messages(),
            message_types=dict(self.pipeline.message_types),
            undelivered=dict(self.spool.reasons),
            spool=SpoolFigures(
                directory=waiting["directory"],
                files=waiting["files"],
                records=waiting["records"],
                bytes=waiting["bytes"],
            ),
            captured=captured,
            left_out=LeftOut(
                datasets=dict(left_out.datasets),
                processes=dict(left_out.processes),
                changes=dict(left_out.changes),
                column_sources=dict(left_out.column_sources),
            ),
            projecting_seconds=self.pipeline.projecting_microseconds / 1e6,
            listener={**self.pipeline.listener_counts, **self.worker.not_handled},
            errors=dict(Counter(errors) + Counter(self.spool.errors) + Counter(plugins.errors())),
            problem=self.spool.problem(),
        )

    def dismantle(self, guard: Guard) -> None:
        """Undo what `assemble` did."""
        self.calls.restore()
        self.reports.close()
        _leave(self.listener, guard)
        _close(self.spool, guard)


def assemble(driver: SparkDriver, settings: Settings, guard: Guard) -> Parts:
    """Make the parts; the listener listens from then on. What was made before a step that fails is undone.

    Raises:
        SacKafkaError: The settings of a part are wrong, or the driver does not have what it needs.
    """
    session = driver.session()
    platform = identity(driver, session, settings.names)
    application = application_of(session, settings.names, platform, pipeline=_pipeline(guard))
    with ExitStack() as undo:
        spool = Spool(make_transport(settings, driver), options_of(settings), session.application_id)
        undo.callback(_close, spool, guard)
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
        facts = _shown(session, driver, is_hive=metastore.uris is not None) if is_purview(settings) else None
        dialect = dialect_of(settings, application, facts or SessionFacts(), driver.spark_file)
        sent_file = sent_file_of(settings, spool.name)
        remembered = sent_file.load() if sent_file is not None else None
        places = sent_file.places if sent_file is not None and settings.names.paths_as_tables else None
        selection = selection_of(settings.leaving_out)
        pipeline = Pipeline(
            context,
            settings.sink.topic,
            remembered,
            dialect=dialect,
            selection=selection,
            places=places,
            guard=guard,
        )
        looks_up = metastore.is_local and not context.naming.is_hive(None)
        told = listener_settings(settings.content, settings.driver, session.conf, looks_up_catalog=looks_up)
        # Now, because what they declare travels only if the listener is told of it.
        options = plugins.load(min(plugins.SECONDS, settings.driver.attach_timeout_seconds / 4))
        listener = driver.listen(specification(options, follows_rdds=settings.driver.follows_rdds), told)
        undo.callback(_leave, listener, guard)
        calls = watched(listener, guard, follows_rdds=settings.driver.follows_rdds)
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
        asked = reports(settings.metrics, session.application_id, driver.gauges)
        undo.pop_all()
    return Parts(
        listener=listener,
        pipeline=pipeline,
        spool=spool,
        worker=worker,
        calls=calls,
        exit_seconds=settings.driver.exit_timeout_seconds,
        reports=asked,
        landed=partial(landed_of, settings, pipeline.sent),
    )


def _shown(session: Session, driver: SparkDriver, *, is_hive: bool) -> SessionFacts:
    """What the names of Purview's assets depend on."""
    keys = (key.removeprefix(_CATALOG) for key in session.conf if key.startswith(_CATALOG))
    return SessionFacts(
        mounts=driver.mounts(session.conf),
        is_hive=is_hive,
        configured_catalogs=frozenset(key for key in keys if "." not in key),
    )


def _leave(listener: Listening, guard: Guard) -> None:
    with guard("detach"):
        try:
            listener.detach()
        except GoneError as e:
            logger.debug("detach: %s", e)


def _close(spool: Spool, guard: Guard) -> None:
    with guard("detach"):
        spool.close(0.0)


def identity(driver: SparkDriver, session: Session, names: Names) -> Identity:
    """What the platform says of the job; doubts are logged where its name depends on it."""
    found = identity_of({**session.conf, **driver.thread_properties}, os.environ)
    for doubt in found.doubts if names.has_no_job_name else ():
        logger.warning("%s", doubt)
    return found


def _pipeline(guard: Guard) -> str | None:
    """What the Declarative Pipeline is called that this process runs, if it runs one and its specification can be read."""
    with guard("specification of a pipeline"):
        return pipeline_name(sys.modules.get("__main__"), sys.argv[1:])
    return None


def application_of(
    session: Session, names: Names, identity: Identity = _UNKNOWN, pipeline: str | None = None
) -> Application:
    """The application under the name of its job. Its own name goes into messages: a secret in it is masked.

    Args:
        session: The application.
        names: As they are set.
        identity: What the platform says that runs it.
        pipeline: The Declarative Pipeline that it is; all their applications have one name.
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
    """The memory of earlier runs; `place` is where messages go. None where nothing lasts, or nothing is to be kept."""
    names, content = settings.names, settings.content
    if sink_of(settings).address is None or not content.sent_max_age_seconds or names.compat is Compat.SAC:
        return None
    chosen = (each.value if each is not None else "auto" for each in (content.message_form, content.table_model))
    purview = ("purview", settings.purview.process_types.value) if is_purview(settings) else ()
    sink = "|".join((place, settings.sink.topic, names.namespace, *chosen, *purview))
    return SentFile(settings.spool.dir, sink, max_age_ms=int(content.sent_max_age_seconds * 1000))


_MASKED_RECORD = (
    "sac_kafka: SQL text is masked, although atlas.hook.spark.query.text is verbatim: a batch that is recorded holds no "
    "literals; remove atlas.hook.spark.record.path"
)


def listener_settings(
    content: Content, bounds: DriverBounds, conf: Mapping[str, str], *, looks_up_catalog: bool
) -> ListenerSettings:
    """What the listener needs of the settings; tables are looked up where no call leaves this machine for it.

    A record is made to be shown to others: where there is one, no literals leave the driver's JVM.
    """
    return ListenerSettings(
        literals=content.query_text is QueryText.VERBATIM and not bounds.record_path,
        bounds=bounds,
        looks_up_catalog=looks_up_catalog,
        redact_keys=tuple(conf[k] for k in _REDACT_KEYS if conf.get(k)),
        redact_values=tuple(conf[k] for k in _REDACT_VALUES if conf.get(k)),
        foreign_kinds=travelling_kinds() if is_installed() else {},
    )


def _recorder(settings: Settings, application: Application, facts: SessionFacts | None) -> TextIO | None:
    path = settings.driver.record_path
    if not path:
        return None
    if settings.content.query_text is QueryText.VERBATIM:
        logger.warning("%s", _MASKED_RECORD)
    return recorder(path, application, facts)


_SHOWN_HERE = (ClientType.CONSOLE, ClientType.MEMORY)
"""What these are given reaches no server, where names of two environments could meet."""


def warn(settings: Settings, application: Application) -> None:
    """Log what is allowed, but hardly meant."""
    names = settings.names
    why = doubt_of(application.job) if names.has_no_job_name else doubt_of_chosen(application.job)
    if why is not None:
        logger.warning("%s", why)
    if names.namespace_is_default and settings.sink.client_type not in _SHOWN_HERE:
        logger.warning(
            "atlas.metadata.namespace is not set: names end in @%s, and environments that share it overwrite "
            "each other; set it to the name of this environment",
            names.namespace,
        )
