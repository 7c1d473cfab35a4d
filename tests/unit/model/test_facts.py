"""The facts of a run are declared once: outputs have no others, tools read them by their rows, and the page lists them."""

from __future__ import annotations

import ast
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.facts import PAGE, page
from sac_kafka.atlas.model import OWN_PROCESS, SPARK_TYPES
from sac_kafka.lineage.runs.identity import PARENTS
from sac_kafka.lineage.runs.platforms import PLATFORMS
from sac_kafka.model import (
    ColumnLineage,
    ColumnSource,
    DatasetRead,
    Dependency,
    DriverRead,
    Engine,
    Process,
    Requester,
    Stream,
)
from sac_kafka.model.facts import APPLICATION_FACTS, FACTS, PURVIEW_DETAILS, Fact
from sac_kafka.purview.flows import statements
from tests.unit.atlas.flows import APPLICATION, RUN, messages_for, of_type, path, process, table

ROOT = PAGE.parents[1]
PLACE = "sac_kafka/model/facts.py"
PLATFORM = next(fact for fact in FACTS if fact.name == "platform")
OTHERS = {"labels", "custom_attributes"}
"""Members of `details` that settings add."""
OF_NO_RUN = {
    ("catalog/entities.py", "status"): "of an entity: DELETED",
    ("tools/cli/coverage.py", "writes"): "of a report",
    ("atlas/wire/reader.py", "user"): "of a message",
}
"""What has the name of a fact in the code of readers and is none."""


def _full(engine: Engine, *, failure: str | None = None) -> Process:
    """Return a process with all facts, but those that exclude each other."""
    orders = path("s3a://b/orders", "a", "b", locations=("s3a://b/orders/day=1",))
    report = path("s3a://b/report", "c", "n", locations=("s3a://b/report/day=1",))
    rules, control = table("rules", "r"), table("control", "v")
    deciders = (Dependency.JOIN, Dependency.FILTER, Dependency.GROUP_BY, Dependency.SORT)
    flow = process(
        (orders, rules),
        (report,),
        (
            ColumnLineage(
                dataset=report.key, column="c", sources=(ColumnSource(orders.key, "a", Dependency.IDENTITY),)
            ),
            ColumnLineage(dataset=report.key, column="n", sources=(), expression="count(*)"),
        ),
        [ColumnSource(orders.key, "b", each) for each in deciders],
    )
    return dataclasses.replace(
        flow,
        application=dataclasses.replace(
            APPLICATION, engine=engine, facts=tuple((each, "x") for each in PLATFORM.all_names)
        ),
        run=dataclasses.replace(
            RUN,
            failure=failure,
            rows_written=1,
            files_written=1,
            bytes_written=1,
            executions=2,
            jobs=(1, 2, 5),
            read=(DatasetRead(dataset=orders.key, rows=1),),
            requester=Requester(user="u", server="Connect", session_id="s", operation_id="o"),
        ),
        columns_omitted=None,
        other_sources=("rows of the driver",),
        versions_read=((orders.key, "version 3"),),
        through_driver=(DriverRead(orders, "values of it"),),
        decided_by=(control,),
        inputs_excluded=1,
        stream=Stream(
            identity=("q",),
            name="q",
            checkpoint="s3a://b/check",
            query_id="i",
            run_id="r",
            output_mode="append",
            batches=1,
            last_batch=1,
            rows_read=(("s", 1), ("s", 2)),
        ),
    )


PROCESSES = (
    _full(Engine(version="4.3.0")),
    dataclasses.replace(_full(Engine(name="Flink", version="2.1")), columns_omitted="over 100 nodes", stream=None),
    _full(Engine(version="4.3.0"), failure="BadRecord"),
)


def _sent(type_name: str) -> Iterator[tuple[dict, dict]]:
    """Yield the custom attributes and `details` of the entities of a type."""
    for each in PROCESSES:
        for entity in of_type(messages_for(each), type_name):
            yield entity["customAttributes"], json.loads(entity["attributes"].get("details", "{}"))


def test_atlas_has_the_facts_of_the_table_and_no_others() -> None:
    names = {name for fact in FACTS for name in fact.all_names}
    sent = {key for custom, details in _sent("spark_process") for key in (*custom, *details)} - OTHERS
    assert sorted(sent - names) == [], f"add a row to FACTS in {PLACE}"
    assert sorted(names - sent) == [], f"give _full a value of it, or remove its row of FACTS in {PLACE}"


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_names_are_unique_and_their_values_are_read_back(fact: Fact[Process]) -> None:
    assert [each.name for each in FACTS if {*each.all_names} & {*fact.all_names}] == [fact.name]
    if not fact.names:
        assert any(fact.read(custom) for custom, _ in _sent("spark_process"))


def test_the_sum_of_rows_counts_each_source_of_a_stream() -> None:
    custom, details = next(_sent("spark_process"))
    assert (custom["rows_read"], details["rows_read"]) == ("3", 3)


def test_purview_has_the_facts_of_the_table_and_no_others() -> None:
    sent = [statements.of_run(each) | statements.of_definition(each, with_expressions=True) for each in PROCESSES]
    declared = {fact.purview for fact in FACTS if fact.purview}
    assert sorted(declared - {key for each in sent for key in each}) == [], f"its row in {PLACE} names no attribute"
    details = {key for each in sent for key in json.loads(str(each[PURVIEW_DETAILS]))}
    assert details == {fact.name for fact in FACTS if fact.purview == PURVIEW_DETAILS}, f"correct its row in {PLACE}"
    types = json.loads((ROOT / "sac_kafka/purview/typedefs/2000-own.json").read_text("utf-8"))["entityDefs"]
    own = next(each for each in types if each["name"] == "sac_kafka_process")
    known = {attribute["name"] for attribute in own["attributeDefs"]}
    assert sorted(declared - known) == [], "add it to sac_kafka_process in purview/typedefs/2000-own.json"


def test_an_application_of_another_engine_says_so() -> None:
    custom = [custom for custom, _ in _sent("spark_process")]
    assert [(each.get("spark_version"), each.get("engine")) for each in custom] == [
        ("4.3.0", None),
        (None, "Flink 2.1"),
        ("4.3.0", None),
    ]
    assert [each.get("engine") for each, _ in _sent("spark_application")] == [None, "Flink 2.1", None]


def test_the_types_of_flows_come_from_one_table() -> None:
    text = "".join(file.read_text("utf-8") for file in sorted((ROOT / "sac_kafka").rglob("*.py")))
    counts = [text.count(f'"{name}"') for name in (*SPARK_TYPES, OWN_PROCESS)]
    assert counts == [1, 1, 1, 1], "take it from atlas/model.py"


def test_facts_of_applications_have_the_types_of_those_of_processes() -> None:
    types = {fact.name: fact.type for fact in FACTS}
    assert [f.name for f in APPLICATION_FACTS if f.name in types and f.type is not types[f.name]] == []


def test_every_fact_of_a_platform_has_a_name_in_the_table() -> None:
    names = {name for row in (*PLATFORMS, *PARENTS) for name in row.facts} - {"job"}
    assert sorted(names - {*PLATFORM.all_names}) == [], f"add it to _PLATFORM in {PLACE}"


def test_the_page_has_the_tables() -> None:
    text = PAGE.read_text("utf-8")
    wanted = page(text)
    differing = sorted({*wanted.split("\n")} ^ {*text.split("\n")})
    assert differing == [], f"the rows in {PLACE} differ from docs/atlas.md; run: python -m dev.facts"
    assert wanted == text, "run: python -m dev.facts"


def _names_read(file: Path) -> Iterator[str]:
    """Yield the texts by which a module reads a mapping: `x.get("name")`, `x["name"]`, `"name" in x`."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        match node:
            case ast.Call(func=ast.Attribute(attr="get" | "pop"), args=[ast.Constant(value=str() as name), *_]):
                yield name
            case ast.Subscript(slice=ast.Constant(value=str() as name)):
                yield name
            case ast.Compare(left=ast.Constant(value=str() as name), ops=[ast.In() | ast.NotIn()]):
                yield name


@pytest.mark.slow
def test_readers_name_facts_by_their_rows() -> None:
    names = {name for fact in (*FACTS, *APPLICATION_FACTS) if not fact.names for name in fact.all_names}
    package = ROOT / "sac_kafka"
    files = [file for room in ("tools", "catalog", "atlas") for file in sorted((package / room).rglob("*.py"))]
    read = {(str(file.relative_to(package)), name) for file in files for name in _names_read(file) if name in names}
    assert sorted(read ^ OF_NO_RUN.keys()) == [], f"read it by its row in {PLACE}: facts.NAME.read(…)"
