"""`sac-kafka cost`: entities, messages and bytes by job, counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sac_kafka.atlas.messages import at_the_end
from sac_kafka.atlas.wire.reader import read
from sac_kafka.stats import Completeness
from sac_kafka.tools.graph.cost import CostCounter
from tests.helpers.judge.records import v1_flow
from tests.unit.atlas.flows import APPLICATION, CONTEXT
from tests.unit.tools.cli.conftest import Cli
from tests.unit.tools.cli.other_hooks import query

GOLDEN = Path(__file__).parents[3] / "unit" / "atlas" / "golden"
FIRST, PATHS = ((GOLDEN / f"{name}.json").read_text() for name in ("first_sight", "between_paths"))
DROPPED = json.dumps(
    {
        "message": {
            "type": "ENTITY_DELETE",
            "typeName": "spark_table",
            "attribute": "qualifiedName",
            "attributeValue": "a.b@prod",
        }
    }
)
RENAMED = json.dumps(
    {
        "message": {
            "type": "ENTITY_PARTIAL_UPDATE_V2",
            "entityId": {"typeName": "spark_table", "uniqueAttributes": {"qualifiedName": "a.b@prod"}},
            "entity": {"entity": {"typeName": "spark_table", "attributes": {"qualifiedName": "a.c@prod"}}},
        }
    }
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "messages.jsonl"
    lines = [json.dumps(json.loads(FIRST)), json.dumps(json.loads(FIRST)).replace("daily load", "größer"), query(), "{"]
    file.write_text("\n".join([*lines, DROPPED, RENAMED]))
    return file


def test_by_job_and_the_most_expensive(file: Path, cli: Cli) -> None:
    result = cli("cost", file, "--top", "2")
    assert result.status == 0
    rows = [line.split() for line in result.out.splitlines()]
    # 13 entities: path, schema, 2 fields, database, table, storage, 2 columns, application, process, 2 column lineages
    assert rows[1][:4] == ["13", "13", "0", "0"]
    assert rows[1][9:] == ["daily", "load"]
    assert rows[2][9:] == ["größer"]
    assert rows[3][:4] == ["4", "4", "0", "0"]
    assert rows[3][9:] == ["(Hive)"]
    assert rows[4][:4] == ["2", "0", "1", "1"]
    assert rows[4][9:] == ["(no", "job)"]
    assert rows[5][:4] == ["32", "30", "1", "1"]
    assert rows[8] == ["8", "hdfs://nn1/data/totals", "(hdfs_path)"]
    assert rows[9] == ["8", "sales.orders", "(spark_table)"]
    assert result.err.startswith("sac-kafka cost: 1 message of ")


def test_storage_of_a_dropped_table_is_in_the_namespace_of_the_table(tmp_path: Path, cli: Cli) -> None:
    ids = [("spark_table", "a.b@prod"), ("spark_storagedesc", "a.b@prod_storage")]
    entities = [{"typeName": of, "uniqueAttributes": {"qualifiedName": name}} for of, name in ids]
    (tmp_path / "x.jsonl").write_text(json.dumps({"message": {"type": "ENTITY_DELETE_V2", "entities": entities}}))
    found = cli("cost", tmp_path / "x.jsonl", "--json").json(0)["most_expensive"]
    assert [each["name"] for each in found] == ["a.b", "a.b"]


def test_as_json(file: Path, cli: Cli) -> None:
    found = cli("cost", file, "--json", "--top", "1").json(0)
    one = json.dumps(json.loads(FIRST))
    assert found["jobs"]["daily load"] == {
        "entities": 13,
        "messages": 1,
        "records": 1,
        "bytes": len(one),
        "creates": 13,
        "updates": 0,
        "deletes": 0,
        "relationships": 16,
        "processes": 1,
        "columns": 6,
    }
    assert found["all"]["messages"] == 5
    assert len(found["most_expensive"]) == 1


def test_a_message_without_a_job_is_of_the_application_whose_key_it_has() -> None:
    counting = CostCounter()
    counting.add(read(DROPPED), "app-1", 1, 10)
    counting.add(read(PATHS), "app-1", 1, 100)
    counting.add(read(DROPPED), "app-2", 1, 10)
    by_job = counting.costs().by_job
    assert {job: (each.messages, each.deletes, each.bytes) for job, each in by_job.items()} == {
        "daily load": (2, 1, 110),
        "(no job)": (1, 1, 10),
    }


def test_last_message_of_an_application_counts_for_its_job(cli: Cli, tmp_path: Path) -> None:
    wrote = Completeness(writes=1, with_table_lineage=1, with_column_lineage=1, reasons={})
    (end,) = at_the_end([(APPLICATION, wrote)], context=CONTEXT, now_ms=0)
    (tmp_path / "end").write_text(f"{end.value}\n")
    assert {job: cost["messages"] for job, cost in cli("cost", tmp_path / "end", "--json").json(0)["jobs"].items()} == {
        "daily load": 1
    }


def test_name_that_resembles_credentials_is_not_masked(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "x").write_text(DROPPED.replace("a.b@prod", "ns:secret:t@prod"))
    assert "ns:secret:t" in cli("cost", tmp_path / "x").text(0)


def test_one_name_in_two_namespaces_is_two_jobs(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_text(
        "\n".join(json.dumps(json.loads(FIRST)).replace("@prod", end) for end in ("@prod", "@test", "@test"))
    )
    found = cli("cost", file, "--json").json(0)
    assert {job: each["messages"] for job, each in found["jobs"].items()} == {
        "daily load@test": 2,
        "daily load@prod": 1,
    }
    names = {each["name"]: each["entities"] for each in found["most_expensive"]}
    assert names["sales.orders@test"] == 2 * names["sales.orders@prod"]


def test_whole_entities_inside_of_another_one_count() -> None:
    counting = CostCounter()
    counting.add(read(v1_flow()), "", 1, 0)
    assert counting.costs().all.creates == 3
