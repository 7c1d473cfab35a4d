"""Assemble a hook from its settings, by subject: application, destination, pipeline, capture, worker.

Stateless; talks to Spark only through `spark.port`. `attachment` starts and stops the parts.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from sac_kafka.guard import Guard
from sac_kafka.hook.application import application_of_driver
from sac_kafka.hook.capture import capture, listener_settings
from sac_kafka.hook.destinations import open_destinations
from sac_kafka.hook.doors import verify_sent
from sac_kafka.hook.driver_log import driver_log
from sac_kafka.hook.listener_source import ListenerSource
from sac_kafka.hook.parts import Parts
from sac_kafka.hook.pipeline import Pipeline, now_ms
from sac_kafka.hook.pipeline_options import lineage_options, pipeline_options
from sac_kafka.hook.recording import recorder_of
from sac_kafka.hook.spark_events import SparkEvents
from sac_kafka.hook.worker import Worker
from sac_kafka.settings import Settings
from sac_kafka.spark import processes
from sac_kafka.spark.port import SparkDriver

if TYPE_CHECKING:
    from sac_kafka.hook.metrics.reporting import Reports


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
        metastore = driver.metastore(session.conf)
        opened = open_destinations(settings, driver, session, application, metastore, undo)
        first = opened[0]
        pipeline = Pipeline(pipeline_options(first.context, settings), first.places, guard=guard)
        lineage = lineage_options(first.context, settings, process=processes.own())
        events = SparkEvents(pipeline, lineage, guard)
        destinations = tuple(each.destination(pipeline.stats.writes, guard, now_ms) for each in opened)
        looks_up = metastore.is_local and not first.context.naming.is_hive(None)
        of_listener = listener_settings(settings.content, settings.driver, session.conf, looks_up_catalog=looks_up)
        listener, calls = capture(driver, session.spark_version, settings, of_listener, guard, undo)
        listener.register(process.text())
        recorder = recorder_of(settings, application, first.facts)
        source = ListenerSource(listener, events, guard, recorder)
        worker = Worker(source, pipeline, destinations, guard, exit_seconds)
        metric_reports = _reports(settings, session.application_id, driver)
        undo.pop_all()
    return Parts(
        listener=listener,
        pipeline=pipeline,
        destinations=destinations,
        worker=worker,
        calls=calls,
        exit_seconds=exit_seconds,
        log=driver_log(driver, session, application, settings, " and ".join(each.spool.name for each in destinations)),
        reports=metric_reports,
        verify=partial(verify_sent, opened),
    )


def _reports(settings: Settings, application_id: str, driver: SparkDriver) -> Reports | None:
    """Return the reports of metrics; None without any, as most jobs have none."""
    if not settings.metrics.is_enabled:
        return None
    from sac_kafka.hook.metrics.reporting import reports

    return reports(settings.metrics, application_id, driver.gauges)
