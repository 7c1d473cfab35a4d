"""The specification of what is projected, derived from the dataclasses."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pytest

from sac_kafka.plan.declaration import DECLARED, Accessor, accessor, accessors, spark_class
from sac_kafka.plan.execution import EVENTS
from sac_kafka.plan.expressions import Attribute, AttributeReference, Expression, UnknownExpression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.specification import specification


@spark_class("x.Example", "x.Other")
class Example(LogicalPlan):
    """Every kind of field."""

    plain: str
    two_words: str | None
    by_path: str = accessor("a.b|#c")
    number: int
    later: int = accessor("later", default=7)
    condition: Expression | None
    nested: tuple[tuple[Expression, ...], ...]
    columns: tuple[Attribute, ...]
    query: LogicalPlan
    options: Mapping[str, str] = accessor("options", keys=("path", "url"))


ENTERED = [DECLARED.pop(name) for name in ("x.Example", "x.Other")]  # no other test is to project it


LINES = specification().splitlines()


def field(name: str) -> Accessor:
    return next(a for a in accessors(Example) if a.name == name)


def test_a_class_is_entered_under_each_of_its_names() -> None:
    assert [Example, Example] == ENTERED


def test_fields_become_accessors_with_their_kind() -> None:
    assert {a.name: (a.path, a.kind) for a in accessors(Example)} == {
        "plain": ("plain", "identity"),
        "two_words": ("twoWords", "identity"),
        "by_path": ("a.b|#c", "identity"),
        "number": ("number", "identity"),
        "later": ("later", "identity"),
        "condition": ("condition", "expressions"),
        "nested": ("nested", "expressions"),
        "columns": ("columns", "attributes"),
        "query": ("query", "identity"),
        "options": ("options", "identity"),
    }
    assert field("options").keys == ("path", "url")
    assert field("number").is_integer
    assert not field("plain").is_integer
    assert field("columns").is_sequence
    assert not field("query").is_sequence
    assert field("later").has_default
    assert not field("number").has_default


def test_fields_that_the_decoder_fills_have_no_accessor() -> None:
    names = {a.name for a in accessors(Example)}
    assert not names & {"class_name", "children", "subqueries", "is_command", "columns_cut"}


def test_copies_are_frozen_and_compared_by_identity() -> None:
    made = UnknownExpression(class_name="A", children=())
    for change in (lambda: setattr(made, "name", "b"), lambda: delattr(made, "name")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert repr(made) == "UnknownExpression(class_name='A', children=(), name='', formats=())"
    assert dataclasses.replace(made, name="b").name == "b"
    with pytest.raises(TypeError, match="missing"):
        AttributeReference(class_name="A")  # type: ignore[call-arg]
    assert Example.__eq__ is object.__eq__
    assert Example.__hash__ is object.__hash__


@pytest.mark.parametrize(
    ("annotation", "made"), [(Mapping[str, str], accessor("o")), (str, accessor("o", keys=("path",)))]
)
def test_only_maps_declare_keys(annotation: object, made: object) -> None:
    cls = dataclasses.make_dataclass("Wrong", [("options", annotation, made)])
    with pytest.raises(TypeError, match="options: a map needs the list of keys"):
        accessors(cls)


def test_every_event_class_and_field_is_a_line_of_the_specification() -> None:
    assert [line.split("\t")[1] for line in LINES if line.startswith("event\t")] == list(EVENTS)
    assert sorted(name.rpartition(".")[2] for name in EVENTS) == [
        "AlterDatabaseEvent",
        "AlterTableEvent",
        "CreateDatabaseEvent",
        "CreateTableEvent",
        "DriverNote",
        "DropDatabaseEvent",
        "DropTableEvent",
        "FitEnd",
        "FitStart",
        "LoadInstanceEnd",
        "LoadInstanceStart",
        "ModelNote",
        "RddJobStart",
        "RenameTableEvent",
        "RepeatedBatches",
        "SaveInstanceEnd",
        "SaveInstanceStart",
        "SparkListenerJobEnd",
        "SparkListenerJobStart",
        "SparkListenerSQLExecutionEnd",
        "SparkListenerSQLExecutionStart",
        "SparkListenerThriftServerOperationStart",
        "SparkOperationEvent",
        "StreamingQueryListener$QueryProgressEvent",
        "StreamingQueryListener$QueryStartedEvent",
        "StreamingQueryListener$QueryTerminatedEvent",
        "TransformEnd",
        "TransformStart",
    ]
    assert [line.split("\t")[1] for line in LINES if line.startswith("class\t")] == list(DECLARED)
    at = LINES.index("class\torg.apache.spark.sql.catalyst.catalog.CatalogStorageFormat")
    assert LINES[at + 1 : at + 3] == [
        "field\tlocation\tlocationUri\tidentity\t",
        "field\tinput_format\tinputFormat\tidentity\t",
    ]


def test_no_line_of_the_specification_is_ambiguous() -> None:
    sizes = {"event": 2, "format": 6, "class": 2, "field": 5}
    assert not [line for line in LINES if len(line.split("\t")) != sizes[line.split("\t")[0]]]


def test_no_declared_map_lets_a_secret_through_by_its_key() -> None:
    words = ("password", "secret", "token", "key", "credential", "signature")
    keys = {key.lower() for cls in set(DECLARED.values()) for a in accessors(cls) for key in a.keys}
    assert not {key for key in keys - {"keyspace", "spark.databricks.job.taskkey"} for word in words if word in key}


def test_fields_unknown_to_spark_3_are_not_reported_as_missing() -> None:
    of = DECLARED["org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation"]
    (time_travel,) = (a for a in accessors(of) if a.name == "time_travel")
    assert time_travel.path.endswith("|@none")
