"""Reads over JDBC whose query was parsed by sqlglot, by Spark's parser, or by neither."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from sac_kafka.atlas.datasets.services import rdbms_table as named
from sac_kafka.atlas.naming import Naming
from sac_kafka.lineage.datasets.queries import parsing
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.systems.jdbc import jdbc_reading
from sac_kafka.lineage.flow import QueryFlow, TraversalOptions
from sac_kafka.model import Column, Dependency, RdbmsDataset
from sac_kafka.model.gaps import CONDITIONS_UNKNOWN, may_hide_conditions
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Union
from sac_kafka.plan.relations import LogicalRelation
from sac_kafka.plan.systems.jdbc import ForeignQuery, JDBCRelation
from sac_kafka.settings.names import Names
from tests.helpers.waiting import LONG_SECONDS

NAMING = Naming(names=Names())
URL = "jdbc:postgresql://db:5432/shop"
AT = "rdbms:postgresql://db:5432/shop"
OF = (Column(name="id", type="int"), Column(name="country", type="string"))
JOIN = "select o.id, c.country from archive.orders o join customers c on o.customer = c.name"
BY_SPARK = ForeignQuery(tables=(("archive", "orders"), ("customers",)), base=(), select=())


@pytest.fixture(autouse=True)
def nothing_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the limit: garbage of other tests may be collected while a query is read."""
    monkeypatch.setattr(parsing, "SLOW_SECONDS", LONG_SECONDS)
    parsing._parse.cache_clear()


def _read(url: str = URL, query: ForeignQuery | None = BY_SPARK, text: str | None = JOIN) -> Reading:
    found = jdbc_reading(JDBCRelation(url=url, table=None, query=query, query_text=text), OF)
    assert found is not None
    return found


def _table(relation: JDBCRelation) -> RdbmsDataset:
    found = jdbc_reading(relation, OF)
    assert found is not None
    (table,) = found.datasets
    assert isinstance(table, RdbmsDataset)
    return table


def _leaf(relation: JDBCRelation) -> LogicalPlan:
    return LogicalRelation(relation=relation, catalog_table=None, output=())


def _columns(reading: Reading) -> dict[str, set[str]]:
    return {n: {f"{s.dataset} {s.column}" for s in sources} for n, sources in (reading.made_of or {}).items()}


def test_tables_columns_and_clauses_are_parsed_from_the_query() -> None:
    pytest.importorskip("sqlglot")
    found = _read()
    assert _columns(found) == {"id": {f"{AT}/archive.orders id"}, "country": {f"{AT}/public.customers country"}}
    assert [(c.kind.value, c.text(), len(c.sources)) for c in found.clauses] == [("join", "o.customer = c.name", 2)]
    assert found.counts == ()
    tables = [d for d in found.datasets if isinstance(d, RdbmsDataset)]
    assert [(d.key, [(c.name, c.type) for c in d.columns]) for d in tables] == [
        (f"{AT}/archive.orders", [("id", "int")]),
        (f"{AT}/public.customers", [("country", "string")]),
    ]


@pytest.fixture
def without_sqlglot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    parsing._parse.cache_clear()


def test_without_sqlglot_sparks_parser_is_used(without_sqlglot: None) -> None:
    found = _read()
    assert [d.key for d in found.datasets] == [f"{AT}/archive.orders", f"{AT}/public.customers"]
    assert (found.made_of, found.columns, found.clauses) == (None, {}, ())
    assert found.counts == (
        "columns not known: they come out of a query that the database runs",
        CONDITIONS_UNKNOWN,
    )
    parsing._parse.cache_clear()


@pytest.mark.parametrize("decides_rows", [True, False])
def test_conditions_that_sparks_parser_does_not_follow_are_a_gap(without_sqlglot: None, *, decides_rows: bool) -> None:
    select = (("id", "=", "id"), ("country", "=", "country"))
    query = ForeignQuery(tables=(("orders",),), base=("orders",), select=select, decides_rows=decides_rows)
    found = _read(query=query)
    assert found.counts == ((CONDITIONS_UNKNOWN,) if decides_rows else ())
    assert may_hide_conditions(found.counts) is decides_rows
    parsing._parse.cache_clear()


def test_function_without_parentheses_is_no_column(without_sqlglot: None) -> None:
    select = (("id", "~", "ordered", "current_date"), ("country", "=", "current_user"))
    query = ForeignQuery(tables=(("orders",),), base=("orders",), select=select, decides_rows=False)
    found = _read(query=query)
    assert found.columns == {"id": (("ordered", Dependency.TRANSFORMATION),), "country": ()}
    assert found.counts == ()
    parsing._parse.cache_clear()


@pytest.mark.parametrize(
    ("url", "text"),
    [(URL, "select from where"), (URL, None), ("jdbc:unheard://db/shop", JOIN), ("no url", JOIN)],
    ids=["not SQL", "kept in the driver", "no dialect", "no URL"],
)
def test_sparks_parser_reads_what_its_dialect_rejects(url: str, text: str | None) -> None:
    found = _read(url, text=text)
    assert len(found.datasets) == (0 if url == "no url" else 2)
    assert "columns not known: they come out of a query that the database runs" in found.counts


def test_unparsed_query_is_counted() -> None:
    found = _read(query=None, text="select from where")
    assert found.datasets == ()
    assert "query of a JDBC source not understood" in found.counts


def test_what_may_be_a_literal_of_sqlite_is_an_unknown_column() -> None:
    pytest.importorskip("sqlglot")
    found = _read("jdbc:sqlite:shop.db", text='select "?" as id, o.country from "orders" o where "?" > 1')
    assert [each.key for each in found.datasets] == ["rdbms:sqlite://:/shop.db/main.orders"]
    assert {name for name, sources in found.made_of.items() if sources} == {"country"}
    assert {s.column for clause in found.clauses for s in clause.sources} == set()
    assert set(found.counts) == {
        CONDITIONS_UNKNOWN,
        "columns not known: they come out of a query that the database runs",
    }


def test_a_table_that_may_be_a_literal_is_no_input() -> None:
    pytest.importorskip("sqlglot")
    found = _read("jdbc:sqlite:shop.db", query=None, text='select id, country from "orders", "?"')
    assert found.datasets == ()
    assert "query of a JDBC source not understood" in found.counts


def test_slow_parse_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sqlglot")
    monkeypatch.setattr(parsing, "SLOW_SECONDS", 0.0)
    assert _read().counts == ("query of a database parsed slowly",)
    parsing._parse.cache_clear()


def test_table_with_two_spellings_is_one_input() -> None:
    pytest.importorskip("sqlglot")
    found = _read(text='select a.id, b.country from customers a join "customers" b on a.k = b.k')
    assert [d.key for d in found.datasets] == [f"{AT}/public.customers"]
    assert _columns(found) == {"id": {f"{AT}/public.customers id"}, "country": {f"{AT}/public.customers country"}}


@pytest.mark.parametrize(
    ("url", "names"),
    [
        (URL, ("orders", "public.orders", '"public"."orders"')),
        ("jdbc:h2:mem:shop", ("orders", "PUBLIC.orders", "public.orders")),
        ("jdbc:sqlserver://db;databaseName=shop", ("orders", "dbo.orders", "[dbo].[orders]", "shop..orders")),
        ("jdbc:sqlite:shop.db", ("orders", "main.orders")),
    ],
)
def test_a_table_with_and_without_its_usual_schema_is_one_input_of_a_flow(url: str, names: tuple[str, ...]) -> None:
    relations = [JDBCRelation(url=url, table=name) for name in names]
    flow = QueryFlow(TraversalOptions(), Counter())
    flow.follow(Union(children=tuple(map(_leaf, relations))))
    (read,) = flow.inputs
    assert {_table(each).key for each in relations} == {read.key}
    assert len({named(_table(each), NAMING).id for each in relations}) == 1


def test_another_schema_is_another_table() -> None:
    both = [_table(JDBCRelation(url=URL, table=each)) for each in ("sales.orders", "orders")]
    assert len({each.key for each in both}) == len({named(each, NAMING).id for each in both}) == 2


def test_a_query_that_names_a_table_both_ways_reads_it_once() -> None:
    pytest.importorskip("sqlglot")
    text = "select a.id, b.country from orders a join public.orders b on a.id = b.parent"
    flow = QueryFlow(TraversalOptions(), Counter())
    flow.follow(_leaf(JDBCRelation(url=URL, query=BY_SPARK, query_text=text)))
    assert [each.key for each in flow.inputs] == [f"{AT}/public.orders"]
    assert list(flow.inputs.read_at.values()) == [(f"{AT}/public.orders",)]


def test_a_column_that_any_table_may_have_is_unknown_and_counted() -> None:
    pytest.importorskip("sqlglot")
    found = _read(text="select o.id, country from orders o join customers c on o.customer = c.name")
    assert _columns(found) == {"id": {f"{AT}/public.orders id"}}
    assert found.counts == ("columns not known: they come out of a query that the database runs",)
