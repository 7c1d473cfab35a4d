"""Assemble a bridge: inputs, open runs, and the pipeline, destinations and worker of a hook."""

from __future__ import annotations

import gc
import math
import socket
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from sac_kafka.atlas.context import Context
from sac_kafka.bridge.dead_letters import MAX_BYTES, RejectedEvents
from sac_kafka.bridge.intake import Input, Intake
from sac_kafka.bridge.journal import Journal
from sac_kafka.bridge.reported_runs import ReportedRuns
from sac_kafka.bridge.source import OpenLineageSource
from sac_kafka.bridge.spill import SpillFile
from sac_kafka.guard import Guard
from sac_kafka.hook.destination import Destination
from sac_kafka.hook.destinations import open_without_driver
from sac_kafka.hook.pipeline import Pipeline, now_ms
from sac_kafka.hook.pipeline_options import lineage_options, pipeline_options
from sac_kafka.hook.worker import Worker
from sac_kafka.model import Application, Engine
from sac_kafka.openlineage.flows import FlowOptions
from sac_kafka.openlineage.open_runs import OpenRuns, Waiting
from sac_kafka.settings import Settings
from sac_kafka.transport.spool.directory import login_name, writable_directory
from sac_kafka.version import __version__

_NAME = "sac-kafka bridge"
_DIRECTORY = "bridge"
_EXIT_SECONDS = 30.0
_NONE: Mapping[str, str] = MappingProxyType({})
_COLLECTIONS = (100_000, 50, 100)
"""Thresholds of Python's garbage collector: with its own, it costs more than parsing the events, of which none is a cycle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """The parts of a bridge; `worker.run` runs it."""

    worker: Worker
    pipeline: Pipeline
    destinations: tuple[Destination, ...]
    runs: OpenRuns
    intake: Intake
    guard: Guard

    @property
    def counts(self) -> dict[str, int]:
        """Counters of events, and of what is no lineage, by reason."""
        return dict(Counter(self.worker.counts) + Counter(self.guard.counts))


def assemble(
    settings: Settings,
    inputs: Sequence[Input],
    waiting: Waiting,
    namespaces: Mapping[str, str] = _NONE,
    *,
    is_replay: bool = False,
) -> Bridge:
    """Create the parts of a bridge; if a step fails, the earlier ones are undone. `namespaces` as in `FlowOptions`.

    `is_replay`: the inputs are dead letters, of which some may become dead letters again.

    Raises:
        SacKafkaError: The settings of a part are wrong, or its files cannot be used.
    """
    guard = Guard()
    application = _application()
    directory = directory_of(settings)
    with ExitStack() as undo:
        opened = open_without_driver(settings, application, undo)
        first = opened[0]
        options = replace(pipeline_options(first.context, settings), joins_runs=False)
        pipeline = Pipeline(options, first.places, guard=guard)
        destinations = tuple(parts.destination(pipeline.stats.writes, guard, now_ms) for parts in opened)
        store = SpillFile(directory.parent, settings.spool.max_bytes)
        runs = OpenRuns(_flow_options(settings, first.context, namespaces), waiting, store=store)
        endless = any(not input_.ends for input_ in inputs)
        journal = Journal(directory, settings.spool.max_bytes) if endless else None
        if journal is not None:
            undo.callback(journal.close)
        intake = Intake(sum(input_.ends for input_ in inputs), journal)
        reported = ReportedRuns(directory, time.time) if journal is not None else None
        most = math.inf if is_replay else MAX_BYTES  # what is replayed was kept before
        dead_letters = RejectedEvents(directory, guard, most) if endless or is_replay else None
        source = OpenLineageSource(intake, inputs, runs, pipeline, guard, time.monotonic, dead_letters, reported)
        worker = Worker(source, pipeline, destinations, guard, _EXIT_SECONDS)
        undo.pop_all()
    return Bridge(worker=worker, pipeline=pipeline, destinations=destinations, runs=runs, intake=intake, guard=guard)


def spare_collector() -> None:
    """Let the garbage collector of this process run less often, and never look at what is loaded now."""
    gc.freeze()
    gc.set_threshold(*_COLLECTIONS)


def directory_of(settings: Settings) -> Path:
    """Return the directory of the bridges of this spool."""
    return writable_directory(settings.spool.dir) / _DIRECTORY


def _application() -> Application:
    """Return the application of the bridge itself; each process has its own."""
    host = socket.gethostname()
    return Application(
        job=_NAME,
        application_id=f"bridge-{host}",
        name=_NAME,
        user=login_name(),
        engine=Engine(name=_NAME, version=__version__),
    )


def _flow_options(settings: Settings, context: Context, namespaces: Mapping[str, str]) -> FlowOptions:
    lineage = lineage_options(context, settings)
    return FlowOptions(
        patterns=lineage.patterns,
        budget=lineage.budget,
        query_text=settings.content.query_text,
        namespace=settings.names.namespace,
        namespaces=namespaces,
    )
