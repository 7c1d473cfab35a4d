"""dbt's artifacts become the flows that dbt's events state, with the columns that the SQL proves (docs/emit.md).

`tests/fixtures/dbt` has the artifacts of one run of dbt 1.11 with DuckDB, reduced to what is read, and the events of
openlineage-dbt 1.54 for the same run.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.emitting.dbt_artifacts import read_project
from sac_kafka.emitting.dbt_names import ADAPTERS, DbtRun, attached_namespaces, namespace_of
from sac_kafka.emitting.stated_flows import StatingProcess
from sac_kafka.errors import FlowError
from sac_kafka.model import DatasetDescribed, Process, RdbmsDataset
from tests.unit.openlineage.small_events import flows

FIXTURE = Path(__file__).parents[2] / "fixtures" / "dbt"
NAMESPACE = "duckdb:///project/shop.duckdb"
PROFILES = """
shop:
  target: dev
  outputs:
    dev: {type: duckdb, path: "{{ env_var('SHOP', '/project/shop.duckdb') }}", password: "{{ secret() }}"}
    test: {type: duckdb, path: test.duckdb}
    memory: {type: duckdb, path: ":memory:"}
"""


def outcomes(directory: Path = FIXTURE, skipped: Counter[str] | None = None) -> list[Any]:
    counts: Counter[str] = Counter() if skipped is None else skipped
    return [o for each in read_project(str(directory), StatingProcess(), counts, NAMESPACE) for o in each]


def processes(directory: Path = FIXTURE) -> dict[str, Process]:
    return {each.application.job: each for each in outcomes(directory) if isinstance(each, Process)}


def tables(process: Process) -> tuple[list[str], list[str]]:
    inputs, outputs = ([d.key.rpartition("/")[2] for d in side] for side in (process.inputs, process.outputs))
    return inputs, outputs


def columns(process: Process) -> dict[str, str]:
    return {
        each.column: " ".join(f"{s.dataset.rpartition('/')[2]}.{s.column}:{s.dependency.value}" for s in each.sources)
        for each in process.columns
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose artifacts a test may change."""
    target = tmp_path / "target"
    target.mkdir()
    for file in FIXTURE.glob("*.json"):
        (target / file.name).write_text(file.read_text("utf-8").replace("/project", str(tmp_path)), "utf-8")
    (tmp_path / "dbt_project.yml").write_text("profile: shop\n")
    (tmp_path / "profiles.yml").write_text(PROFILES)
    return target


def change(project: Path, name: str, **values: Any) -> None:
    file = project / f"{name}.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **values}), "utf-8")


def test_each_model_and_snapshot_is_a_flow() -> None:
    skipped: Counter[str] = Counter()
    found = {each.application.job: tables(each) for each in outcomes(FIXTURE, skipped) if isinstance(each, Process)}
    assert found == {
        "dbt model.shop.stg_orders": (["main.raw_orders"], ["main.stg_orders"]),
        "dbt model.shop.revenue_by_customer": (["main.raw_customers", "main.stg_orders"], ["main.revenue_by_customer"]),
        "dbt model.shop.dutch": (["main.raw_customers", "main.stg_orders"], ["main.dutch"]),
        "dbt model.shop.from_source": (["main.raw_customers"], ["main.from_source"]),
        "dbt model.shop.broken": (["main.stg_orders"], ["main.broken"]),
        "dbt snapshot.shop.orders_history": (["main.stg_orders"], ["main_main.orders_history"]),
    }
    assert skipped == {
        "results of seeds, which are no flows": 2,
        "results of tests, which are no flows": 3,
        "models skipped": 1,
    }


def test_columns_are_those_that_the_sql_proves() -> None:
    found = processes()
    assert columns(found["dbt model.shop.revenue_by_customer"]) == {
        "name": "main.raw_customers.name:identity",
        "revenue": "main.stg_orders.amount:aggregation",
        "orders": "",
    }
    assert columns(found["dbt model.shop.dutch"]) == {  # through an ephemeral model
        "name": "main.raw_customers.name:identity",
        "n": "main.stg_orders.order_id:aggregation",
    }
    assert columns(found["dbt model.shop.from_source"]) == {  # the catalog has what the star stands for
        **{name: f"main.raw_customers.{name}:identity" for name in ("id", "name", "country")},
        "upper_name": "main.raw_customers.name:transformation",
    }
    assert [each.gaps for each in found.values() if each.run.failure is None] == [()] * 5


def test_a_snapshot_adds_columns_without_sources() -> None:
    assert [*columns(processes()["dbt snapshot.shop.orders_history"])] == ["order_id", "customer_id", "amount", "day"]


def test_conditions_have_no_literals() -> None:
    clauses = {each.dependency.value: each.text for each in processes()["dbt model.shop.dutch"].clauses}
    assert clauses == {"join": "o.customer_id = c.id", "filter": "c.country = ?", "group_by": "1"}


def test_without_a_catalog_a_star_is_unknown(project: Path) -> None:
    (project / "catalog.json").unlink()
    found = processes(project)
    assert columns(found["dbt model.shop.from_source"]) == {}
    assert [gap.partition(":")[0] for gap in found["dbt model.shop.from_source"].gaps] == ["columns not known"]
    assert columns(found["dbt model.shop.stg_orders"])["order_id"] == "main.raw_orders.id:identity"


def test_a_table_that_the_project_does_not_know(project: Path) -> None:
    nodes = json.loads((project / "manifest.json").read_text("utf-8"))["nodes"]
    nodes["model.shop.dutch"]["compiled_code"] = 'select a.id from other.t a join "shop"."x"."u" b on a.id = b.id'
    change(project, "manifest", nodes=nodes)
    process = processes(project)["dbt model.shop.dutch"]
    assert "x.u" in tables(process)[0]  # named in full
    assert process.gaps[0] == "inputs not known: other.t"


def test_descriptions_owners_tags_and_columns() -> None:
    described = {each.dataset.key.rpartition(".")[2]: each for each in outcomes() if isinstance(each, DatasetDescribed)}
    assert (described["stg_orders"].description, described["stg_orders"].owner) == (
        "Orders as they came, with types.",
        "",
    )
    revenue = described["revenue_by_customer"]
    assert (revenue.owner, revenue.labels) == ("sales-analytics", ("finance",))
    first = revenue.dataset.columns[0]
    assert (first.name, first.type, first.comment) == ("name", "VARCHAR", "The customer.")


def test_the_run() -> None:
    process, broken = (processes()[f"dbt model.shop.{name}"] for name in ("dutch", "broken"))
    assert (process.application.engine.name, process.application.engine.version) == ("dbt", "1.11.16")
    assert dict(process.application.facts)["dbt_node"] == "model.shop.dutch"
    assert processes()["dbt model.shop.revenue_by_customer"].application.labels == ("finance",)
    began, ended = process.run.started_ms, process.run.ended_ms
    assert began is not None and ended is not None and began <= ended
    assert (process.replaces_output, broken.run.failure) == (True, "dbt error")


def test_flows_are_named_as_those_of_dbts_events() -> None:
    """But for two mistakes of openlineage-dbt: an ephemeral model is no table, and a source's identifier is its table."""
    events = [json.loads(line) for line in (FIXTURE / "openlineage.jsonl").read_text("utf-8").splitlines()]
    mistakes = {"main.eph": "main.raw_customers", "main.contacts": "main.raw_customers"}
    by_events = {}
    for process in flows(events):
        inputs, outputs = tables(process)
        by_events[process.application.job] = sorted({mistakes.get(each, each) for each in inputs}), outputs
    failed = "dbt model.shop.broken"  # its event has no outputs
    assert by_events == {job: tables(each) for job, each in processes().items() if job != failed}


def test_the_server_comes_from_the_profile(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("yaml")
    run = DbtRun(adapter="duckdb", project=project.parent)
    assert namespace_of(run) == NAMESPACE
    monkeypatch.setenv("SHOP", "/data/shop.duckdb")
    assert namespace_of(run) == "duckdb:///data/shop.duckdb"
    assert (
        namespace_of(DbtRun(adapter="duckdb", project=project.parent, target="test"))
        == f"duckdb://{project.parent}/test.duckdb"
    )
    (first, *_) = read_project(str(project), StatingProcess(), Counter())
    assert isinstance(first[-1], Process)
    assert isinstance(first[-1].outputs[0], RdbmsDataset)
    assert first[-1].outputs[0].database == "/data/shop.duckdb"


def test_tables_of_attached_files_are_those_of_the_files(project: Path) -> None:
    pytest.importorskip("yaml")
    attached = "[{path: crm.duckdb}, {path: /data/raw.db, alias: Lake}, {path: 'dbname=x', type: postgres, alias: pg}]"
    profiles = PROFILES.replace('"{{ secret() }}"', f'"", attach: {attached}')
    (project.parent / "profiles.yml").write_text(profiles, "utf-8")
    run = DbtRun(adapter="duckdb", project=project.parent)
    assert attached_namespaces(run) == {"crm": f"duckdb://{project.parent}/crm.duckdb", "lake": "duckdb:///data/raw.db"}
    nodes = json.loads((project / "manifest.json").read_text("utf-8"))["nodes"]
    nodes["seed.shop.raw_orders"]["database"] = "lake"
    change(project, "manifest", nodes=nodes)
    read = {d.key for each in read_project(str(project), StatingProcess(), Counter()) for d in each[-1].inputs}
    assert "rdbms:duckdb://://data/raw.db/main.raw_orders" in read


@pytest.mark.parametrize(
    ("path", "attached"),
    [
        (":memory:", {}),
        (":memory:scratch", {}),
        ("postgres:postgresql://me:hunter2@db1/shop", {}),
        ("postgres:dbname=shop", {}),
        ("ducklake:meta.ducklake", {}),
        ("sqlite:crm.db", {}),
        ("md:crm?motherduck_token=hunter2", {"crm": "duckdb://md:crm"}),
        ("s3://raw/crm.duckdb?s3_session_token=hunter2", {"crm": "duckdb://s3://raw/crm.duckdb"}),
        ("/data/crm.v2.duckdb", {"crm": "duckdb:///data/crm.v2.duckdb"}),
    ],
)
def test_what_is_attached_without_a_type(project: Path, path: str, attached: dict[str, str]) -> None:
    pytest.importorskip("yaml")
    profiles = PROFILES.replace('"{{ secret() }}"', f'"", attach: [{{path: "{path}"}}]')
    (project.parent / "profiles.yml").write_text(profiles, "utf-8")
    assert attached_namespaces(DbtRun(adapter="duckdb", project=project.parent)) == attached


@pytest.mark.parametrize(
    ("adapter", "profile", "namespace"),
    [
        ("athena", {"region_name": "eu-west-1"}, "awsathena://athena.eu-west-1.amazonaws.com"),
        ("bigquery", {}, "bigquery"),
        ("databricks", {"host": "adb-1.azuredatabricks.net"}, "databricks://adb-1.azuredatabricks.net"),
        (
            "fabric",
            {"server": "x.datawarehouse.fabric.microsoft.com"},
            "fabric-warehouse://x.datawarehouse.fabric.microsoft.com",
        ),
        ("glue", {"region": "eu-west-1", "role_arn": "arn:aws:iam::123:role/x"}, "arn:aws:glue:eu-west-1:123"),
        ("postgres", {"host": "db1", "port": 5433}, "postgres://db1:5433"),
        ("redshift", {"host": "db1"}, "redshift://db1:5439"),
        ("snowflake", {"account": "org-acc"}, "snowflake://org-acc"),
        ("snowflake", {"account": "xy12345"}, "snowflake://xy12345.us-west-1.aws"),
        ("snowflake", {"account": "xy12345.eu-west-1"}, "snowflake://xy12345.eu-west-1.aws"),
        ("spark", {"host": "s1", "method": "thrift"}, "spark://s1:10001"),
        ("sqlserver", {"server": "db1", "port": 1433}, "mssql://db1:1433"),
        ("trino", {"host": "t1", "port": 8443}, "trino://t1:8443"),
    ],
)
def test_namespaces_of_adapters(adapter: str, profile: dict[str, Any], namespace: str) -> None:
    assert ADAPTERS[adapter].namespace(profile) == namespace


@pytest.mark.parametrize(
    ("name", "values", "error"),
    [
        ("run_results", {"args": {"which": "generate"}}, "of dbt generate, which runs no models; emit after dbt run"),
        ("run_results", {"metadata": None}, "run_results.json: not an artifact of dbt"),
        ("manifest", {"metadata": {"adapter_type": "other"}}, "adapter 'other': unknown; pass --dbt-namespace"),
        (
            "manifest",
            {"metadata": {"adapter_type": "postgres"}},
            "the profile of postgres has no 'host'; pass --dbt-namespace",
        ),
        ("run_results", {"args": {"which": "run", "target": "no"}}, "profile 'shop' has no output 'no'"),
        ("run_results", {"args": {"which": "run", "target": "memory"}}, "no other job can read a database in memory"),
        ("run_results", {"args": {"which": "run", "profile": "no"}}, "no profile 'no'"),
        ("run_results", {"args": {"which": "run", "project_dir": "/nowhere"}}, "profiles.yml: in none of /nowhere"),
    ],
)
def test_every_error_has_the_fix(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str, values: dict[str, Any], error: str
) -> None:
    pytest.importorskip("yaml")
    monkeypatch.setenv("HOME", str(project))
    monkeypatch.delenv("DBT_PROFILES_DIR", raising=False)
    change(project, name, **values)
    with pytest.raises(FlowError) as raised:
        read_project(str(project), StatingProcess(), Counter())
    assert error in str(raised.value)


@pytest.mark.parametrize(
    ("text", "error"), [("{", "not valid JSON"), ("[]", "not an artifact of dbt"), (None, "No such file")]
)
def test_damaged_artifacts(project: Path, text: str | None, error: str) -> None:
    file = project / "manifest.json"
    file.unlink()
    if text is not None:
        file.write_text(text)
    with pytest.raises(FlowError, match=error):
        read_project(str(project), StatingProcess(), Counter(), NAMESPACE)


def test_broken_values_are_no_crash(project: Path) -> None:
    for results in (
        [None, {}, {"unique_id": 3, "status": None}, {"unique_id": "model.shop.gone", "status": "success"}],
        None,
    ):
        change(project, "run_results", results=results)
        assert read_project(str(project), StatingProcess(), Counter(), NAMESPACE) == ()


def test_a_model_that_reads_itself_has_the_process_of_its_first_run(project: Path) -> None:
    manifest = json.loads((project / "manifest.json").read_text("utf-8"))
    node = manifest["nodes"]["model.shop.stg_orders"]
    before = processes(project)["dbt model.shop.stg_orders"]
    node["compiled_code"] += f" where id > (select max(order_id) from {node['relation_name']})"
    change(project, "manifest", nodes=manifest["nodes"])
    after = processes(project)["dbt model.shop.stg_orders"]
    assert tables(after) == tables(before)
    assert {each.dataset for each in after.row_level} <= {each.key for each in after.inputs}
