"""Lineage that an expectation accepts, and lineage that it does not."""

from __future__ import annotations

import dataclasses

import pytest

from tests.live.conformance.expectations import ConformanceCase, Found, differences

CASE = ConformanceCase(
    id="made.up",
    setup=(),
    sql="insert into t select a, b from s",
    steps=(),
    table=None,
    catalogs=(),
    stops_at_views=False,
    inputs=frozenset({"c.d.s"}),
    outputs=frozenset({"c.d.t"}),
    columns=(("c.d.t.a", frozenset({"c.d.s.a"})), ("c.d.t.b", frozenset())),
    tags=frozenset(),
)
A, B, ROW = "c.d.s.a", "c.d.s.b", "c.d.s.r"
FOUND = Found(
    inputs=frozenset({"c.d.s"}),
    outputs=frozenset({"c.d.t"}),
    columns=(("c.d.t.a", frozenset({A}), frozenset({A})), ("c.d.t.b", frozenset(), frozenset())),
    rows=frozenset({ROW}),
)


def _columns(direct: set[str], every: set[str]) -> Found:
    return dataclasses.replace(
        FOUND, columns=(("c.d.t.a", frozenset(direct), frozenset(every)), ("c.d.t.b", frozenset(), frozenset()))
    )


def _tagged(tag: str, *sources: str) -> ConformanceCase:
    columns = (("c.d.t.a", frozenset(sources)), ("c.d.t.b", frozenset()))
    return dataclasses.replace(CASE, tags=frozenset({tag}), columns=columns)


def test_expected_lineage_is_no_difference() -> None:
    assert differences(CASE, FOUND) == []


@pytest.mark.parametrize(
    "found",
    [
        dataclasses.replace(FOUND, inputs=frozenset()),
        dataclasses.replace(FOUND, inputs=frozenset({"c.d.s", "c.d.more"})),
        dataclasses.replace(FOUND, outputs=frozenset()),
        dataclasses.replace(FOUND, columns=FOUND.columns[:1]),
        _columns({A, B}, {A, B}),
        _columns({A}, {A, B}),
        _columns(set(), set()),
    ],
    ids=[
        "input less",
        "input more",
        "output less",
        "column less",
        "source more",
        "indirect source more",
        "source less",
    ],
)
def test_more_and_less_are_differences(found: Found) -> None:
    assert differences(CASE, found)


def test_tables_of_subqueries_in_where_must_be_more_inputs() -> None:
    sql = "select a from c.d.s where a in (select a from c.d.more)"
    case = dataclasses.replace(_tagged("kyuubi_policy_where_subquery_not_input", A), sql=sql)
    assert differences(case, FOUND)
    assert not differences(case, dataclasses.replace(FOUND, inputs=frozenset({"c.d.s", "c.d.more"})))
    assert differences(case, dataclasses.replace(FOUND, inputs=frozenset({"c.d.s", "c.d.invented"})))


def test_count_star_has_no_source() -> None:
    case = _tagged("kyuubi_policy_count_star", "c.d.s.__count__")
    assert not differences(case, _columns(set(), set()))
    assert differences(case, _columns({A}, {A}))


def test_copies_of_the_target_may_be_missing_and_nothing_else() -> None:
    case = _tagged("kyuubi_policy_copy_on_write", A, "c.d.t.a")
    assert not differences(case, _columns({A}, {A}))
    assert not differences(case, _columns({A, "c.d.t.a"}, {A, "c.d.t.a"}))
    assert differences(case, _columns({"c.d.t.a"}, {"c.d.t.a"}))


def test_conditions_may_be_indirect_but_not_missing() -> None:
    case = _tagged("kyuubi_policy_condition_counts", A, B)
    assert not differences(case, _columns({A}, {A, B}))
    assert differences(case, _columns({A}, {A}))
    assert not differences(_tagged("kyuubi_policy_correlation_counts", A, ROW), FOUND)


def test_a_path_that_is_read_must_be_an_input() -> None:
    case = dataclasses.replace(_tagged("path_input"), inputs=frozenset())
    found = dataclasses.replace(_columns({"`/p`.a"}, {"`/p`.a"}), inputs=frozenset({"`/p`"}), paths=frozenset({"`/p`"}))
    assert not differences(case, found)
    assert differences(case, dataclasses.replace(_columns(set(), set()), inputs=frozenset()))
