"""A planted history of a workspace, the truth of it, and readers of it without a bridge around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from sac_kafka.bridge.unity.names import WorkspaceNames
from sac_kafka.bridge.unity.reader import Checkpoint, FlowNaming, Reader
from sac_kafka.bridge.unity.state import ReadState
from sac_kafka.bridge.unity.tables import TableDefinitions
from sac_kafka.bridge.unity.warehouse import Warehouse
from sac_kafka.bridge.unity.workspace import DatabricksWorkspace, FixedToken, Login, WorkspaceError
from sac_kafka.model import Process
from sac_kafka.model.bounds import DEFAULT
from sac_kafka.settings.unity import Unity
from tests.helpers.unity_catalog import TOKEN, WAREHOUSE, WORKSPACE_ID, Statement, UnityCatalog

START = datetime(2026, 11, 20, tzinfo=timezone.utc)
NOW = START + timedelta(days=4)
UNITY = Unity(warehouse=WAREHOUSE)


class Truth(NamedTuple):
    """A flow: its job, the keys of its datasets, and pairs of columns."""

    job: str
    inputs: tuple[str, ...]
    output: str
    columns: tuple[str, ...] = ()


def at(day: int, hour: int, minute: int = 0, second: int = 0) -> datetime:
    """Return a time of the history."""
    return START + timedelta(days=day, hours=hour, minutes=minute, seconds=second)


def table(name: str) -> str:
    """Return the key of a table."""
    return f"table:{name}"


LOAD = {"job_info": {"job_id": "77", "job_run_id": "900"}, "notebook_id": "555"}
ORDERS, CUSTOMERS, REPORT = "main.silver.orders", "main.silver.customers", "main.gold.report"
STATEMENTS = (
    Statement(
        at=at(0, 5, 59, 59),
        target=REPORT,
        sources=(ORDERS, CUSTOMERS, ORDERS),
        columns=((ORDERS, "amount", "total"), (ORDERS, "tax", "total"), (CUSTOMERS, "name", "customer")),
        entity=("NOTEBOOK", "555", "command-1"),
        metadata=LOAD,
        paths={REPORT: "abfss://lake@acme.dfs.core.windows.net/__unitystorage/catalogs/1/tables/2"},
        copies=3,
    ),
    # A statement whose rows lie on both sides of a full hour.
    Statement(
        at=at(0, 6, 59, 59), target="main.gold.wide", sources=(ORDERS,), event="e-wide", entity=("JOB", "78", "901")
    ),
    Statement(
        at=at(0, 7, 0, 1), target="main.gold.wide", sources=(CUSTOMERS,), event="e-wide", entity=("JOB", "78", "901")
    ),
    # Two targets of one statement, in two catalogs.
    Statement(at=at(1, 3), target="dev.t.one", sources=(ORDERS,), event="e-two", statement_id="s-two"),
    Statement(at=at(1, 3), target="main.t.two", sources=(ORDERS,), event="e-two", statement_id="s-two"),
    # Paths, as source and as target, and tables of the workspace's Hive metastore.
    Statement(
        at=at(1, 4),
        target="main.raw.events",
        sources=("s3://landing/events/day=2026-11-21", "/Volumes/main/raw/files/a.csv"),
        entity=("PIPELINE", "pipe-1", "update-1"),
        metadata={"dlt_pipeline_info": {"dlt_pipeline_id": "pipe-1", "dlt_update_id": "update-1"}},
        types={"main.raw.events": "STREAMING_TABLE"},
    ),
    Statement(
        at=at(1, 5),
        target="abfss://out@acme.dfs.core.windows.net/export",
        sources=(REPORT, "hive_metastore.old.prices"),
        entity=("DBSQL_QUERY", "q-1", "s-3"),
        statement_id="s-3",
        has_record_ids=False,
    ),
    # Views: a definition, and one that is stored.
    Statement(
        at=at(2, 8),
        target="main.gold.view",
        sources=(REPORT,),
        columns=((REPORT, "total", "sum"),),
        types={"main.gold.view": "VIEW"},
        statement_id="s-4",
    ),
    Statement(
        at=at(2, 8, 1),
        target="main.gold.mat",
        sources=("main.gold.view",),
        types={"main.gold.mat": "MATERIALIZED_VIEW", "main.gold.view": "VIEW"},
        entity=("PIPELINE", "gone", "update-2"),
    ),
    # Neither ids of events nor of statements: told apart by their time.
    Statement(at=at(2, 9), target="main.x.a", sources=(ORDERS,), entity=("JOB", "78", "902"), event=None),
    Statement(at=at(2, 9, 30), target="main.x.a", sources=(CUSTOMERS,), entity=("JOB", "78", "902"), event=None),
    # No flows: a read, a write, both, and another workspace.
    Statement(at=at(2, 10), target=None, sources=(REPORT, ORDERS), entity=("DASHBOARD_V3", "d-1", None), copies=2),
    Statement(at=at(2, 11), target="main.x.values"),
    Statement(at=at(2, 12), target=None, sources=(REPORT,), event="e-apart"),
    Statement(at=at(2, 12), target="main.x.apart", event="e-apart"),
    Statement(at=at(2, 13), target="main.x.other", sources=(ORDERS,), workspace="99"),
)
NAMES = {
    "/api/2.2/jobs/get job_id=77": {
        "settings": {
            "name": "Daily orders",
            "tasks": [
                {"task_key": "prepare", "notebook_task": {"notebook_path": "/Shared/prepare"}},
                {"task_key": "load", "notebook_task": {"notebook_path": "/Workspace/Shared/load"}},
            ],
        }
    },
    "/api/2.0/workspace/get-status path=/Shared/prepare": {"object_id": 554},
    "/api/2.0/workspace/get-status path=/Workspace/Shared/load": {"object_id": 555},
    "/api/2.2/jobs/get job_id=78": 403,
    "/api/2.0/pipelines/pipe-1": {"name": "ingest"},
    "/api/2.0/pipelines/gone": 404,
    "/api/2.0/sql/queries/q-1": {"display_name": "Export of prices"},
    "/api/2.1/unity-catalog/tables/main.gold.report": {
        "name": "report",
        "catalog_name": "main",
        "schema_name": "gold",
        "table_type": "MANAGED",
        "storage_location": "abfss://lake@acme.dfs.core.windows.net/__unitystorage/catalogs/1/tables/2",
        "data_source_format": "DELTA",
        "columns": [
            {"name": "total", "type_text": "decimal(10,2)", "nullable": False, "comment": "with tax"},
            {"name": "day", "type_text": "date", "partition_index": 0},
        ],
    },
}
TRUTH = frozenset(
    (
        Truth(
            "Daily orders/load",
            (table(CUSTOMERS), table(ORDERS)),
            table(REPORT),
            (
                f"customer <- {table(CUSTOMERS)}.name",
                f"total <- {table(ORDERS)}.amount",
                f"total <- {table(ORDERS)}.tax",
            ),
        ),
        Truth("job 78", (table(CUSTOMERS), table(ORDERS)), table("main.gold.wide")),
        Truth("Databricks SQL", (table(ORDERS),), table("dev.t.one")),
        Truth("Databricks SQL", (table(ORDERS),), table("main.t.two")),
        Truth(
            "pipeline ingest",
            ("path:dbfs:/Volumes/main/raw/files/a.csv", "path:s3://landing/events"),
            table("main.raw.events"),
        ),
        Truth(
            "query Export of prices",
            (table(REPORT), table("spark_catalog.old.prices")),
            "path:abfss://out@acme.dfs.core.windows.net/export",
        ),
        Truth("Databricks SQL", (table(REPORT),), table("main.gold.view"), (f"sum <- {table(REPORT)}.total",)),
        Truth("pipeline gone", (table("main.gold.view"),), table("main.gold.mat")),
        Truth("job 78", (table(ORDERS),), table("main.x.a")),
        Truth("job 78", (table(CUSTOMERS),), table("main.x.a")),
    )
)
COUNTS = {
    "events": 10,
    "reads without a target": 3,
    "writes without a source": 2,
    "named by the id, as the name cannot be read: job": 1,
    "named by the id, as the name cannot be read: pipeline": 1,
}


def lake() -> UnityCatalog:
    """Return a workspace with this history."""
    server = UnityCatalog(*STATEMENTS)
    server.names = dict(NAMES)
    return server


def truth_of(process: Process) -> Truth:
    """Return a flow that was read."""
    (output,) = process.outputs
    pairs = (f"{each.column} <- {of.dataset}.{of.column}" for each in process.columns for of in each.sources)
    return Truth(process.application.job, tuple(each.key for each in process.inputs), output.key, tuple(sorted(pairs)))


def truths_of(processes: Iterable[Process]) -> frozenset[Truth]:
    """Return the flows that were read."""
    return frozenset(map(truth_of, processes))


class Read(NamedTuple):
    """What a pass has read: its flows, the last state of it, the counts, and the error that has ended it."""

    processes: list[Process]
    state: ReadState
    counts: Counter[str]
    error: str


def read(
    server: UnityCatalog,
    state: ReadState | None = None,
    *,
    unity: Unity = UNITY,
    now: datetime = NOW,
    login: Login | None = None,
    pause: Callable[[float], bool] = lambda _seconds: False,
) -> Read:
    """Read what is new since a state."""
    counts: Counter[str] = Counter()
    workspace = DatabricksWorkspace(server.address, login or FixedToken(TOKEN), None, pause)
    names = WorkspaceNames(workspace, WORKSPACE_ID, counts)
    naming = FlowNaming(names, TableDefinitions(names, counts), (), DEFAULT)
    kept = ReadState.decode((state or ReadState()).encode())
    saved, processes = kept, []
    reader = Reader(
        Warehouse(workspace, WAREHOUSE), WORKSPACE_ID, unity, naming, kept, counts, clock=lambda: now.timestamp()
    )
    error = ""
    saved = state or ReadState()
    try:
        for item in reader.read():
            if isinstance(item, Checkpoint):
                saved = ReadState.decode(item.state)
            else:
                processes.append(item)
    except WorkspaceError as failed:
        error = str(failed)
    return Read(processes, saved, counts, error)
