"""Implicit conversions of writes and views are not shown; expressions that were written are."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.expressions.sql_parts import find_original
from sac_kafka.model import ColumnLineage, Dependency, Process
from sac_kafka.plan.expressions import (
    AttributeReference,
    CreateNamedStruct,
    Expression,
    GetStructField,
    If,
    Literal,
    UnknownExpression,
)
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import Capture


def processes(case: str, version: str) -> dict[str, Process]:
    made = Capture.processes_of((BATCHES / version / f"{case}.txt").read_text("utf-8"))
    return {p.outputs[0].key.rpartition(".")[2].rpartition("/")[2]: p for p in made}


def shown(case: str, version: str, table: str) -> dict[str, str | None]:
    return {c.column: c.expression for c in processes(case, version)[table].columns}


def kinds(columns: tuple[ColumnLineage, ...]) -> dict[str, list[tuple[str, Dependency]]]:
    return {c.column: [(s.column, s.dependency) for s in c.sources] for c in columns}


@pytest.mark.parametrize("version", owed())
def test_an_insert_by_name_shows_what_was_written(version: str) -> None:
    expressions = shown("shown_insert_of_expressions_converted", version, "converted")
    assert expressions == {"v": "amount * 2", "a": "CAST(id AS int)", "w": "id + 1", "k": None}


@pytest.mark.parametrize("version", owed())
def test_an_insert_of_constants_shows_these(version: str) -> None:
    assert shown("shown_insert_of_constants", version, "constants") == {"a": "1", "b": "NULL", "c": "2"}


@pytest.mark.parametrize("version", owed())
def test_rows_of_the_statement_are_no_columns(version: str) -> None:
    assert shown("insert_values", version, "sink") == {"k": None, "v": None}


@pytest.mark.parametrize("table", ["of_temporary", "of_global"])
@pytest.mark.parametrize("version", owed())
def test_temporary_view_shows_the_expressions_of_its_columns(version: str, table: str) -> None:
    expressions = shown("shown_expressions_of_a_temporary_view", version, table)
    assert expressions == {"z": "id + 1", "u": "upper(day)", "id": None}


@pytest.mark.parametrize("case", ["shown_insert_of_wider_nested_types", "shown_insert_of_wider_nested_types_by_name"])
@pytest.mark.parametrize("version", owed())
def test_a_nested_column_that_a_write_widens_is_a_copy(version: str, case: str) -> None:
    process = processes(case, version)["large"]
    assert kinds(process.columns) == {name: [(name, Dependency.IDENTITY)] for name in ("st", "arr", "m", "deep")}
    assert {c.column: c.expression for c in process.columns} == dict.fromkeys(("st", "arr", "m", "deep"))


def column(expr_id: int) -> AttributeReference:
    return AttributeReference(expr_id=expr_id)


def struct_if_not_null(of: Expression, *fields: tuple[str, Expression]) -> If:
    made = tuple(p for name, e in fields for p in (Literal(text=name), e))
    struct = CreateNamedStruct(children=made, names=tuple(n for n, _ in fields))
    null = Literal(is_null=True)
    return If(children=(UnknownExpression(class_name="x.IsNull", children=(of,)), null, struct))


def field(of: Expression, ordinal: int, name: str) -> GetStructField:
    return GetStructField(children=(of,), ordinal=ordinal, name=name)


def test_struct_of_other_fields_is_not_the_struct() -> None:
    st = column(1)
    assert find_original(struct_if_not_null(st, ("x", field(st, 0, "x")), ("y", field(st, 1, "y")))) is st
    assert find_original(struct_if_not_null(st, ("x", field(st, 1, "y")), ("y", field(st, 0, "x")))) is None
    assert find_original(struct_if_not_null(st, ("x", field(column(2), 0, "x")))) is None
    assert find_original(struct_if_not_null(st, ("x", column(3)))) is None


@pytest.mark.parametrize("version", owed())
def test_windows_within_an_expression_are_shown(version: str) -> None:
    assert shown("shown_windows_within", version, "shown_windows_within") == {
        "a": "if(rank() OVER (ORDER BY id) = 1, day, lag(day) OVER (ORDER BY id))",
        "b": "sum(amount) OVER (PARTITION BY day) / count(*) OVER ()",
        "c": "coalesce(lag(amount) OVER (ORDER BY id), 0)",
    }
