"""Assemble a bridge that reads Unity Catalog: the source, and the pipeline, destinations and worker of a hook."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, replace

from sac_kafka.bridge.unity.names import WorkspaceNames
from sac_kafka.bridge.unity.passes import Passes
from sac_kafka.bridge.unity.reader import FlowNaming, Reader
from sac_kafka.bridge.unity.source import UnitySource
from sac_kafka.bridge.unity.state import StateFile
from sac_kafka.bridge.unity.tables import TableDefinitions
from sac_kafka.bridge.unity.warehouse import Warehouse
from sac_kafka.bridge.unity.workspace import OPTION, DatabricksWorkspace, WorkspaceError, workspace_of
from sac_kafka.errors import ConfigurationError
from sac_kafka.guard import Guard
from sac_kafka.hook.destination import Destination
from sac_kafka.hook.destinations import open_without_driver
from sac_kafka.hook.pipeline import Pipeline, now_ms
from sac_kafka.hook.pipeline_options import lineage_options, pipeline_options
from sac_kafka.hook.worker import Worker
from sac_kafka.model import Application
from sac_kafka.settings import Settings
from sac_kafka.settings.unity import Unity
from sac_kafka.transport.reader import is_purview
from sac_kafka.transport.spool.directory import login_name, writable_directory

_DIRECTORY = "unity"
_METASTORE = "atlas.hook.spark.purview.databricks.metastore"
_ID = "the last part of SELECT current_metastore()"
_EXIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnityBridge:
    """The parts of a bridge; `worker.run` runs it."""

    worker: Worker
    destinations: tuple[Destination, ...]
    source: UnitySource
    guard: Guard

    @property
    def counts(self) -> dict[str, int]:
        """Counters of flows, and of what is no lineage, by reason."""
        return dict(Counter(self.worker.counts) + Counter(self.guard.counts))


def assemble(address: str, unity: Unity, settings: Settings, *, is_endless: bool) -> UnityBridge:
    """Create the parts of a bridge; if a step fails, the earlier ones are undone.

    Args:
        address: The address or the host of the workspace.
        unity: The settings of the workspace.
        settings: The settings of the destinations.
        is_endless: Whether it goes on when everything is read.

    Raises:
        SacKafkaError: The settings of a part are wrong, its files cannot be used, or the workspace refuses the log-in.
    """
    if not unity.warehouse:
        raise ConfigurationError(
            f"{OPTION} {address}: set atlas.bridge.unity.warehouse to the id of a SQL warehouse, the end of its page's address"
        )
    stopped, guard, counts = threading.Event(), Guard(), Counter[str]()
    workspace = workspace_of(address, unity, settings, stopped.wait)
    workspace_id = workspace.id()
    settings = _for_purview(settings, workspace)
    application = _application(workspace.host, workspace_id)
    with ExitStack() as undo:
        file = StateFile(writable_directory(settings.spool.dir) / _DIRECTORY, workspace.host)
        undo.callback(file.close)
        opened = open_without_driver(settings, application, undo)
        first = opened[0]
        pipeline = Pipeline(
            replace(pipeline_options(first.context, settings), joins_runs=False), first.places, guard=guard
        )
        destinations = tuple(each.destination(pipeline.stats.writes, guard, now_ms) for each in opened)
        lineage = lineage_options(first.context, settings)
        names = WorkspaceNames(workspace, workspace_id, counts)
        naming = FlowNaming(names, TableDefinitions(names, counts), lineage.patterns, lineage.budget)
        reader = Reader(Warehouse(workspace, unity.warehouse), workspace_id, unity, naming, file.load(), counts)
        interval = unity.interval_seconds if is_endless else None
        source = UnitySource(Passes(reader, guard, stopped, interval), file, pipeline, guard, counts)
        worker = Worker(source, pipeline, destinations, guard, _EXIT_SECONDS)
        undo.pop_all()
    return UnityBridge(worker=worker, destinations=destinations, source=source, guard=guard)


def _application(host: str, workspace_id: str) -> Application:
    """Return the application of the bridge itself, in the workspace on which names of Purview depend."""
    facts = {"platform": "databricks", "workspace": host, "workspace_id": workspace_id}
    return Application(
        job="sac-kafka bridge",
        application_id=f"bridge-{socket.gethostname()}",
        name="sac-kafka bridge",
        user=login_name(),
        facts=tuple(facts.items()),
    )


def _for_purview(settings: Settings, workspace: DatabricksWorkspace) -> Settings:
    """Return the settings with the id of the metastore, which names of Purview contain.

    Raises:
        SacKafkaError: It cannot be read, or a further destination needs it.
    """
    for name, each in settings.further():
        if is_purview(each) and not each.purview.metastore_id:
            raise ConfigurationError(f"atlas.also.{name}.{_METASTORE.removeprefix('atlas.')}: set it, {_ID}")
    if settings.purview.metastore_id or not is_purview(settings):
        return settings
    try:
        found = workspace.get("/api/2.1/unity-catalog/metastore_summary").get("metastore_id")
    except WorkspaceError as error:
        raise ConfigurationError(f"{error}; or set {_METASTORE}, {_ID}") from None
    return replace(settings, purview=replace(settings.purview, metastore_id=str(found) if found else None))
