"""Assemble a hook from its settings, by subject: application, destination, pipeline, capture, worker.

Stateless; talks to Spark only through `spark.port`. `attachment` starts and stops the parts.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from sac_kafka.atlas.context import Context, context_of
from sac_kafka.guard import Guard
from sac_kafka.hook.application import application_of_driver
from sac_kafka.hook.capture import capture, listener_settings
from sac_kafka.hook.destination import load_sent_file, open_spool
from sac_kafka.hook.dialects import dialect_of, is_purview, receiver_of
from sac_kafka.hook.doors import verify_sent
from sac_kafka.hook.driver_log import driver_log
from sac_kafka.hook.metrics.reporting import reports
from sac_kafka.hook.parts import Parts, close
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.hook.pipeline_options import lineage_options, selection_of
from sac_kafka.hook.recording import recorder_of
from sac_kafka.hook.worker import Worker
from sac_kafka.lineage.model import Application, SessionFacts
from sac_kafka.settings import Settings
from sac_kafka.spark import processes
from sac_kafka.spark.port import SparkDriver
from sac_kafka.spark.session import Metastore, Session
from sac_kafka.transport.factory import content_of

_CATALOG = "spark.sql.catalog."


def assemble(driver: SparkDriver, settings: Settings, guard: Guard) -> Parts:
    """Create the parts of a hook and register the listener; if a step fails, the earlier ones are undone.

    Args:
        driver: The driver's JVM.
        settings: The settings.
        guard: The guard of all parts.

    Raises:
        ServedError: Another Python process serves the SparkContext.
        SacKafkaError: The settings of a part are wrong, or the driver lacks something that it needs.
    """
    session = driver.session()
    application, process = application_of_driver(driver, session, settings, guard)
    exit_seconds = settings.driver.exit_timeout_seconds
    with ExitStack() as undo:
        spool = open_spool(settings, driver, session.application_id)
        undo.callback(close, spool, guard)
        metastore = driver.metastore(session.conf)
        facts = _session_facts(session, driver, metastore) if is_purview(settings) else None
        sent_file = load_sent_file(settings, spool.name)
        context = _context(settings, application, session, metastore)
        pipeline = Pipeline(
            context,
            sent_file.remembered if sent_file else None,
            dialect=dialect_of(settings, application, facts or SessionFacts(), driver.spark_file),
            selection=selection_of(settings.filters),
            places=sent_file.places if sent_file and settings.names.paths_as_tables else None,
            options=lineage_options(context, settings, process=processes.own()),
            guard=guard,
        )
        looks_up = metastore.is_local and not context.naming.is_hive(None)
        of_listener = listener_settings(settings.content, settings.driver, session.conf, looks_up_catalog=looks_up)
        listener, calls = capture(driver, session.spark_version, settings, of_listener, guard, undo)
        listener.register(process.text())
        recorder = recorder_of(settings, application, facts)
        worker = Worker(listener, pipeline, spool, guard, exit_seconds, sent_file=sent_file, recorder=recorder)
        metric_reports = reports(settings.metrics, session.application_id, driver.gauges)
        undo.pop_all()
    return Parts(
        listener=listener,
        pipeline=pipeline,
        spool=spool,
        worker=worker,
        calls=calls,
        exit_seconds=exit_seconds,
        log=driver_log(driver, session, application, settings, spool.name),
        reports=metric_reports,
        verify=partial(verify_sent, settings, pipeline.stats.sent, spool),
    )


def _context(settings: Settings, application: Application, session: Session, metastore: Metastore) -> Context:
    """Return the properties that all messages of the application share."""
    return context_of(
        application,
        settings.names,
        content_of(settings),
        is_hive=metastore.uris is not None,
        metastore=metastore.database,
        source_ip=session.conf.get("spark.driver.host", ""),
        receiver=receiver_of(settings),
    )


def _session_facts(session: Session, driver: SparkDriver, metastore: Metastore) -> SessionFacts:
    """Return the properties of the session on which the names of Purview's assets depend."""
    keys = (key.removeprefix(_CATALOG) for key in session.conf if key.startswith(_CATALOG))
    return SessionFacts(
        mounts=driver.mounts(session.conf),
        is_hive=metastore.uris is not None,
        configured_catalogs=frozenset(key for key in keys if "." not in key),
    )
