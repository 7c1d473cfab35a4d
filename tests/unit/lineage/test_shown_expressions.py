"""SQL that is shown for a column: as written, with strings as `?`."""

from __future__ import annotations

import dataclasses

import pytest

from sac_kafka.lineage.columns.clause_texts import NameScope, qualify
from sac_kafka.lineage.columns.output_columns import OutputColumn, Relation
from sac_kafka.lineage.expressions.rendering import MAX_LENGTH, Text, render
from sac_kafka.model import ColumnSource, Dependency
from sac_kafka.plan.expressions import (
    AggregateExpression,
    AttributeReference,
    Cast,
    Expression,
    Like,
    Literal,
    SortOrder,
    UnknownExpression,
)
from sac_kafka.plan.functions import AtLeastNNonNulls, ReplacedExpression, SqlFunction
from sac_kafka.plan.variables import Variable
from tests.cases.batches import BATCHES, owed
from tests.cases.expressions import EXPRESSIONS
from tests.helpers.live_runs import Capture

NAMES = {1: "a", 2: "b", 3: "first name", 4: "x`y"}


def shown(case: str, version: str) -> dict[str, str | None]:
    (process,) = Capture.processes_of((BATCHES / version / f"{case}.txt").read_text("utf-8"))
    return {c.column: c.expression for c in process.columns}


def deciding(case: str, version: str) -> set[str]:
    (process,) = Capture.processes_of((BATCHES / version / f"{case}.txt").read_text("utf-8"))
    return {c.text for c in process.clauses}


@pytest.mark.parametrize(
    ("case", "version"), [(c, v) for c in EXPRESSIONS for v in owed() if (BATCHES / v / f"{c}.txt").exists()]
)
def test_an_expression_is_shown_as_it_was_written(case: str, version: str) -> None:
    wanted = {f"c{i}": to or sql for i, (sql, to) in enumerate(EXPRESSIONS[case][1].items())}
    assert shown(case, version) == wanted


def test_dropna_is_shown_with_its_threshold() -> None:
    columns = tuple(map(reference, (1, 2, 3)))
    two = AtLeastNNonNulls(children=columns, n=2)
    assert render(two, NAMES.get) == "at_least_n_non_nulls(2, a, b, `first name`)"


@pytest.mark.parametrize("version", owed())
def test_pivoted_column_shows_its_row_condition(version: str) -> None:
    assert shown("shown_pivot", version) == {
        "customer": None,
        "m_total": "sum(amount) FILTER (WHERE day = ?)",
        "m_max(amount)": "max(amount) FILTER (WHERE day = ?)",
        "t_total": "sum(amount) FILTER (WHERE day = ?)",
        "t_max(amount)": "max(amount) FILTER (WHERE day = ?)",
    }
    assert shown("shown_pivot_of_numbers", version) == {
        "customer": None,
        "one": "sum(amount) FILTER (WHERE id = 1)",
        "two": "sum(amount) FILTER (WHERE id = 2)",
    }


@pytest.mark.parametrize("version", owed())
def test_grouping_set_is_shown_by_its_grouping_column(version: str) -> None:
    shown_texts = shown("cube_and_distincts", version)
    assert (shown_texts["g"], shown_texts["gid"], shown_texts["d"]) == (
        "grouping(customer)",
        "grouping_id()",
        "count(DISTINCT amount)",
    )


@pytest.mark.parametrize("version", owed())
def test_time_window_is_shown_by_its_time_column(version: str) -> None:
    assert shown("shown_time_windows", version) == {"w": "window(timestamp_seconds(id), …)", "n": "count(*)"}


@pytest.mark.parametrize("version", owed())
def test_columns_of_one_name_are_qualified(version: str) -> None:
    assert shown("shown_shared_names", version) == {"days": "concat(orders.day, orders_parquet.day)"}


@pytest.mark.parametrize("version", owed())
def test_two_reads_of_one_table_are_shown_by_their_aliases(version: str) -> None:
    assert shown("shown_self_join", version) == {"more": "n.amount - o.amount"}
    assert deciding("shown_self_join", version) == {"n.id = o.id", "n.day > o.day"}


@pytest.mark.parametrize("version", owed())
def test_columns_of_two_reads_of_one_table_are_qualified(version: str) -> None:
    case = "shown_self_join_on_other_columns"
    assert shown(case, version) == {"more": "n.amount - o.id", "day": None}
    assert deciding(case, version) == {"n.id = o.amount", "i.day = o.day AND i.id > 1", "EXISTS (subquery)"}


@pytest.mark.parametrize("version", owed())
def test_two_readings_of_one_table_without_aliases_are_numbered(version: str) -> None:
    assert deciding("shown_self_join_without_aliases", version) == {
        "orders.id = orders#2.id",
        "DISTINCT orders.id, orders.customer, orders.amount, orders.day, orders#2.day",
    }


def test_qualified_columns_never_share_a_name() -> None:
    sources = frozenset({ColumnSource("table:s.orders", "id", Dependency.TRANSFORMATION)})
    one, two = Relation(), Relation()
    made = {
        i: OutputColumn(i, name, sources, relation=of)
        for i, name, of in ((1, "id", one), (2, "id", two), (3, "id", None), (4, "id", None), (5, "day", one))
    }
    seen = NameScope.from_columns(made.values())
    assert qualify(made, seen) == {
        1: "orders.id",
        2: "orders#2.id",
        3: "orders#3.id",
        4: "orders#4.id",
        5: "orders.day",
    }
    assert qualify({1: made[1], 5: made[5]}, seen) == {1: "orders.id"}


@pytest.mark.parametrize("version", owed())
def test_unpivot_shows_the_required_values(version: str) -> None:
    assert "v IS NOT NULL" in deciding("shown_unpivot", version)
    assert deciding("shown_unpivot_of_several", version) == {"v IS NOT NULL OR w IS NOT NULL"}


@pytest.mark.parametrize("version", owed())
def test_changed_fields_are_shown_as_in_the_api(version: str) -> None:
    assert shown("shown_changed_fields", version) == {
        "more": "s.withField('c', size(l))",
        "other": "s.withField('c', 1).dropFields('a', 'b')",
        "deep": "struct(s, m).withField('s.a', size(l)).dropFields('m')",
        "within": "struct(s, m).withField('p', s.dropFields('a')).p",
    }


def test_sql_functions_and_variables_are_shown_by_their_names() -> None:
    version = owed()[-1]
    case = "shown_functions_and_variables"
    assert shown(case, version) == {
        "c0": "doubled(a.amount)",
        "c1": "both(a.amount + 1, b.amount)",
        "c2": "doubled(doubled(a.id)) * factor",
        "c3": "a.id + session.factor",
    }
    assert "doubled(b.amount) > factor" in deciding(case, version)


@pytest.mark.parametrize(("escape", "escaped"), [("\\", ""), ("'", ' ESCAPE "\'"'), ('"', " ESCAPE '\"'")])
def test_other_escape_character_is_shown(escape: str, escaped: str) -> None:
    like = Like(class_name="org.x.Like", children=(reference(1), reference(2)), escape=escape)
    assert render(like, NAMES.get) == f"a LIKE b{escaped}"


def test_fields_missing_in_an_older_recording_are_omitted() -> None:
    like = Like(class_name="org.x.Like", children=(reference(1), reference(2)))
    raised = call("RaiseError", Literal(), call("CreateMap"))
    function = SqlFunction(class_name="SQLScalarFunction", children=(number("1"),), parameters=(reference(1),))
    variable = Variable(class_name="VariableReference")
    shown_texts = [str(render(e, NAMES.get)) for e in (like, raised, function, variable)]
    assert shown_texts == ["a LIKE b", "raise_error(?, map())", "function(a)", "?"]


def call(name: str, *children: Expression) -> UnknownExpression:
    return UnknownExpression(class_name=f"org.x.{name}", children=children)


def reference(expr_id: int) -> AttributeReference:
    return AttributeReference(expr_id=expr_id)


def number(text: str) -> Literal:
    return Literal(text=text)


def test_count_of_a_constant_once_is_not_count_of_all_rows() -> None:
    counted = call("Count", number("1"))
    every = AggregateExpression(children=(counted,))
    assert render(every, NAMES.get) == "count(*)"
    assert render(dataclasses.replace(every, is_distinct=True), NAMES.get) == "count(DISTINCT 1)"


def test_names_that_are_no_identifiers_are_quoted() -> None:
    assert render(call("Upper", reference(3)), NAMES.get) == "upper(`first name`)"
    assert render(call("Upper", reference(4)), NAMES.get) == "upper(`x``y`)"


def test_expression_has_parentheses_where_needed() -> None:
    total = render(call("Add", reference(1), number("1")), NAMES.get)
    assert render(call("Multiply", reference(9), number("2")), {9: total}.get) == "(a + 1) * 2"
    assert render(call("Add", reference(9), number("2")), {9: total}.get) == "a + 1 + 2"
    assert render(call("Upper", reference(9)), {9: Text("f(a)")}.get) == "upper(f(a))"


def test_double_minus_is_no_comment() -> None:
    assert render(call("UnaryMinus", number("-5")), NAMES.get) == "-(-5)"
    assert render(call("UnaryMinus", call("UnaryMinus", reference(1))), NAMES.get) == "-(-a)"
    assert render(call("Subtract", reference(1), number("-5")), NAMES.get) == "a - -5"


def test_call_is_shown_only_if_its_columns_are_known() -> None:
    made = call("Coalesce", reference(1), reference(2))
    nvl = ReplacedExpression(class_name="Nvl", children=(made,), name="nvl", parameters=(reference(1), reference(2)))
    assert render(nvl, NAMES.get) == "nvl(a, b)"
    stale = dataclasses.replace(nvl, parameters=(reference(1), reference(77)))
    assert render(stale, NAMES.get) == "coalesce(a, b)"


def test_a_batch_of_an_older_version_is_still_shown() -> None:
    cast = Cast(children=(reference(1),), type="int")
    order = SortOrder(children=(reference(1),))
    literal = Literal()
    assert [render(e, NAMES.get) for e in (cast, order, literal)] == ["CAST(a AS int)", "a", "?"]


@pytest.mark.slow
@pytest.mark.parametrize("deep", [lambda e: call("Upper", e), lambda e: call("Add", e, number("1"))])
def test_a_deep_expression_is_bounded_and_needs_no_recursion(deep: object) -> None:
    e: Expression = reference(1)
    for _ in range(20_000):
        e = deep(e)  # type: ignore[operator]
    text = render(e, NAMES.get)
    assert len(text) == MAX_LENGTH or text.endswith("…")
    assert len(text) <= MAX_LENGTH


@pytest.mark.parametrize("version", owed())
def test_copy_with_only_the_implicit_cast_of_a_write_stays_a_copy(version: str) -> None:
    assert shown("insert_narrower_types", version)["a"] == "CAST(id AS int)"
