"""Cases cover every declared class, everyday ones most of them; a class without a case states the reason."""

from __future__ import annotations

import re
from pathlib import Path

from sac_kafka.plan.declaration import DECLARED
from tests.cases.all_cases import CASES
from tests.cases.every_case import names
from tests.cases.hive import HIVE_CASES
from tests.cases.kafka_cases import KAFKA_CASES
from tests.helpers import everyday
from tests.live.sources.family import RECORDED
from tests.unit.lineage.test_completeness import WITHOUT_RULE

WITHOUT_CASE = {
    "AddPartitions": "no case yet: of V2 catalogs",
    "AlterV2ViewAs": "no case yet: views of V2 catalogs, since 4.3",
    "CassandraTable": "its connector is not among the jars of the tests",
    "CopyIntoCommand": "of Databricks' runtime",
    "CreateTableLike": "no case yet: of V2 catalogs, since 4.2",
    "CreateV2View": "no case yet: views of V2 catalogs, since 4.3",
    "DataSourceV2ScanRelation": "in optimized plans only",
    "DropPartitions": "no case yet: of V2 catalogs",
    "GroupStateFunction": "no case yet: functions of Scala with state",
    "HBaseRelation": "its connector is not among the jars of the tests",
    "NearestByJoin": "no case yet: since 4.3",
    "OwnName": "tests/unit/hook/plugins: its connectors are not on the class path of the cases",
    "RepeatedBatches": "of a query that has several batches: tests/live/spark/test_streams_live.py",
    "RepeatedWrites": "as RepeatedBatches",
    "ReplaceColumns": "no case yet",
    "SetTableLocation": "no case yet",
    "SparkListenerThriftServerOperationStart": "of servers: tests/live/servers",
    "SparkOperationEvent": "of Kyuubi: tests/unit/lineage/test_requesters.py has a recording",
    "StreamingRelationV2": "no case yet: a view over a stream of a V2 source",
    "Throwable": "of a query that failed; tests/live/spark/test_drivers.py has some",
    "Zip": "no case yet: since 4.2",
}
"""Declared classes that no recorded case meets; one that gets a case leaves this table."""


def test_every_declared_class_has_a_case() -> None:
    """Accept a case over a real source as well, which `make test-sources` runs."""
    met = {DECLARED[name] for case in everyday.cover() for name in everyday.met()[case]}
    met |= {DECLARED[name] for name in _met_by_sources() if name in DECLARED}
    unmet = {cls.__name__ for cls in DECLARED.values() if cls.__module__.startswith("sac_kafka.") and cls not in met}
    assert unmet == set(WITHOUT_CASE), (
        "record a case that meets it on the newest Spark, or add the reason to WITHOUT_CASE"
    )


def test_classes_without_a_case_have_a_test() -> None:
    named_only = (Path(__file__).name, "test_completeness.py")
    tests = [each for each in Path(__file__).parents[1].rglob("test_*.py") if each.name not in named_only]
    named = {word for each in tests for word in re.findall(r"\w+", each.read_text("utf-8"))}
    wanted = set(WITHOUT_CASE) - set(WITHOUT_RULE)
    assert sorted(wanted - named) == [], (
        "make one in a test below tests/unit, as test_connectors.py does of CassandraTable"
    )


def _met_by_sources() -> set[str]:
    recorded = (file.read_text("utf-8") for file in RECORDED.glob("*/*.txt"))
    return {name for text in recorded for name in re.findall(r'\["c","([^"]+)"', text)}


def test_the_chosen_cases_meet_all_that_any_case_meets_and_are_few() -> None:
    assert set().union(*everyday.met().values()) == {name for case in everyday.cover() for name in everyday.met()[case]}
    chosen = [case for case in everyday.cover() if everyday.is_everyday(case)]
    assert len(chosen) < 30
    assert len(set().union(*map(everyday.met().__getitem__, chosen))) > 150


def test_the_chosen_cases_are_cases() -> None:
    known = {"batches": set(CASES), "hive": set(HIVE_CASES), "kafka": set(KAFKA_CASES)}
    assert {(kind, name) for kind, name in everyday.cover() if name not in known[kind]} == set()
    newest = everyday.newest("batches").name
    params = everyday.params("batches", names(newest))
    marked = {param.values[0] for param in params if "everyday" in {mark.name for mark in param.marks}}
    assert marked == {name for kind, name in everyday.cover() if everyday.is_everyday((kind, name))}
