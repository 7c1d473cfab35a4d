"""Column lineage entities: direct sources, and influences separately."""

from __future__ import annotations

import dataclasses
import json

import pytest

from sac_kafka.model import ColumnLineage, ColumnSource, Dependency, RowClause
from sac_kafka.settings.declarations.choices import ColumnLineageMode
from tests.unit.atlas.flows import ends, messages_for, name, of_type, path, process, table

D = Dependency
SOURCE = table("a", "x", "y", "z")
TARGET = table("b", "v", "w")


def _lineage(column, *sources, expression=None, target=TARGET):
    used = tuple(ColumnSource(SOURCE.key, of, dependency) for of, dependency in sources)
    return ColumnLineage(dataset=target.key, column=column, sources=used, expression=expression)


def _flow(*columns, row_level=()):
    return process([SOURCE], [TARGET], columns, row_level)


SEVERAL = _flow(
    _lineage(
        "v",
        ("x", D.AGGREGATION),
        ("x", D.IDENTITY),
        ("y", D.CONDITIONAL),
        expression="sum(CASE WHEN (y > 1) THEN x END)",
    ),
    _lineage("w", ("z", D.WINDOW), expression="row_number() OVER (ORDER BY z)"),
    row_level=(ColumnSource(SOURCE.key, "y", D.FILTER), ColumnSource(SOURCE.key, "z", D.GROUP_BY)),
)


def _column_lineages(flow, **changed):
    return {
        entity["attributes"]["name"]: (ends(entity, "inputs"), entity["attributes"]["description"])
        for entity in of_type(messages_for(flow, **changed), "spark_column_lineage")
    }


def test_influences_of_a_column_are_separate_from_its_values():
    assert _column_lineages(SEVERAL) == {
        "sales.b.v": (["sales.a.x@prod"], "aggregation, identity: sum(CASE WHEN (y > 1) THEN x END)"),
        "sales.b.v (influence)": (
            ["sales.a.y@prod"],
            "condition (influences the value, does not flow into it): sum(CASE WHEN (y > 1) THEN x END)",
        ),
        "sales.b.w (influence)": (
            ["sales.a.z@prod"],
            "window (influences the value, does not flow into it): row_number() OVER (ORDER BY z)",
        ),
    }


def test_values_and_influences_have_the_same_column_and_process():
    sent = of_type(messages_for(SEVERAL), "spark_column_lineage")
    assert [ends(entity, "outputs") for entity in sent] == [["sales.b.v@prod"], ["sales.b.v@prod"], ["sales.b.w@prod"]]
    assert len({name(entity["relationshipAttributes"]["process"]) for entity in sent}) == 1


def test_mode_direct_has_values_only():
    assert list(_column_lineages(SEVERAL, column_lineage=ColumnLineageMode.DIRECT)) == ["sales.b.v"]
    (flow,) = of_type(messages_for(SEVERAL, column_lineage=ColumnLineageMode.DIRECT), "spark_process")
    assert "description" not in flow["attributes"]
    assert not any("rows_by" in key for key in (*flow["customAttributes"], *json.loads(flow["attributes"]["details"])))


def test_value_lineage_has_the_same_name_in_both_modes():
    both, direct = (
        of_type(messages_for(SEVERAL, column_lineage=mode), "spark_column_lineage")
        for mode in (ColumnLineageMode.FULL, ColumnLineageMode.DIRECT)
    )
    assert name(direct[0]) in [name(entity) for entity in both]


def test_no_column_lineage():
    sent = messages_for(SEVERAL, column_lineage=ColumnLineageMode.OFF)
    assert of_type(sent, "spark_column_lineage") == []
    assert len(of_type(sent, "spark_column")) == 5


@pytest.mark.parametrize(
    ("dependency", "kind"),
    [
        (D.IDENTITY, "identity: sales.a.x"),
        (D.TRANSFORMATION, "transformation: sales.a.x"),
        (D.AGGREGATION, "aggregation: sales.a.x"),
        (D.CONDITIONAL, "condition (influences the value, does not flow into it): sales.a.x"),
        (D.WINDOW, "window (influences the value, does not flow into it): sales.a.x"),
        (D.JOIN, "condition (influences the value, does not flow into it): sales.a.x"),
        (D.FILTER, "condition (influences the value, does not flow into it): sales.a.x"),
        (D.GROUP_BY, "condition (influences the value, does not flow into it): sales.a.x"),
        (D.SORT, "condition (influences the value, does not flow into it): sales.a.x"),
    ],
)
def test_every_column_lineage_has_its_kind(dependency, kind):
    ((_, description),) = _column_lineages(_flow(_lineage("v", ("x", dependency)))).values()
    assert description == kind


def test_many_sources_of_a_copy_are_counted():
    wide = table("a", *(f"c{number:03}" for number in range(500)))
    sources = tuple(ColumnSource(wide.key, each.name, D.IDENTITY) for each in wide.columns)
    union = process([wide], [TARGET], [ColumnLineage(dataset=TARGET.key, column="v", sources=sources)])
    ((inputs, description),) = _column_lineages(union).values()
    assert len(inputs) == 500
    assert description.startswith("identity: sales.a.c000, sales.a.c001, ")
    assert description.endswith("+465")


def test_column_that_is_named_like_an_influence_keeps_its_own_name():
    (digest,) = (
        name(entity).removesuffix("@prod").rpartition(":")[2]
        for entity in of_type(messages_for(_flow(_lineage("v", ("x", D.CONDITIONAL)))), "spark_column_lineage")
    )
    columns = ("v", f"v:{digest}", digest)
    lineage = [_lineage(c, ("x", D.IDENTITY), ("x", D.CONDITIONAL)) for c in columns]
    sent = of_type(messages_for(process([SOURCE], [table("b", *columns)], lineage)), "spark_column_lineage")
    assert len({name(entity) for entity in sent}) == len(sent) == 6


def test_process_lists_columns_without_sources():
    (flow,) = of_type(messages_for(_flow(_lineage("v", expression="count(*)"), _lineage("w"))), "spark_process")
    assert flow["customAttributes"]["columns_without_sources"] == "v = count(*), w"
    assert json.loads(flow["attributes"]["details"])["columns_without_sources"] == ["v = count(*)", "w"]


def test_name_ends_a_path_with_its_last_segments():
    target = path("s3a://lake/mart/orders", "v")
    flow = process([SOURCE], [target], [_lineage("v", ("x", D.IDENTITY), target=target)])
    assert list(_column_lineages(flow)) == ["mart/orders.v"]


# ---- what decides rows


def _clauses(*clauses):
    return dataclasses.replace(_flow(), clauses=tuple(RowClause(dependency=d, text=text) for d, text in clauses))


def _sentence(flow):
    (entity,) = of_type(messages_for(flow), "spark_process")
    return entity["attributes"]["description"]


def test_row_clauses_are_a_sentence_on_the_process():
    flow = _clauses(
        (D.JOIN, "orders.id = lines.id"),
        (D.FILTER, "amount > 100"),
        (D.GROUP_BY, "customer, country"),
        (D.FILTER, "sum(amount) > 5"),
        (D.SORT, "country"),
    )
    assert _sentence(flow) == (
        "Rows joined by orders.id = lines.id; filtered by amount > 100; grouped by customer, country; "
        "filtered by sum(amount) > 5; sorted by country."
    )


@pytest.mark.parametrize(
    ("gap", "is_sure"),
    [
        ("column not found in its query", True),
        ("inputs omitted: too many paths", True),
        ("conditions not known: a query that the database runs decides rows", False),
        ("query of a JDBC source not understood", False),
        ("relation not understood: org.example.Mystery", False),
        ("node not understood: Mystery", False),
        ("columns not known: the rows were made by an RDD's functions", False),
    ],
)
def test_a_sentence_claims_nothing_that_a_gap_may_hide(gap, is_sure):
    plain = dataclasses.replace(_flow(), gaps=(gap,))
    filtered = dataclasses.replace(_clauses((D.FILTER, "amount > 100")), gaps=(gap,))
    assert _sentence(plain) == (
        "Rows are not joined, filtered, grouped or sorted." if is_sure else "What decides the rows is not known."
    )
    more = "" if is_sure else "; what else decides them is not known"
    assert _sentence(filtered) == f"Rows filtered by amount > 100{more}."


def test_distinct_and_set_operations_have_their_own_kind():
    flow = _clauses((D.GROUP_BY, "DISTINCT id, day"), (D.FILTER, "customer"), (D.FILTER, "INTERSECT name"))
    assert _sentence(flow) == "Rows DISTINCT id, day; filtered by customer; INTERSECT name."


def test_row_clauses_name_columns_in_full():
    (flow,) = of_type(messages_for(SEVERAL), "spark_process")
    custom, details = flow["customAttributes"], json.loads(flow["attributes"]["details"])
    assert (custom["rows_by_filter"], custom["rows_by_group_by"]) == ("sales.a.y", "sales.a.z")
    assert (details["rows_by_filter"], details["rows_by_group_by"]) == (["sales.a.y"], ["sales.a.z"])


def test_sentence_on_rows_is_bounded():
    description = _sentence(_clauses(*((D.FILTER, f"column_{n} > {'x' * n}") for n in range(100))))
    assert description.startswith("Rows filtered by column_0 > ; filtered by column_1 > x; ")
    assert description.endswith(" more.")
    assert len(description) < 2_000


def test_columns_that_decide_rows_are_bounded():
    wide = table("a", *(f"column_{number}" for number in range(1_000)))
    rows = [ColumnSource(wide.key, each.name, D.GROUP_BY) for each in wide.columns]
    (flow,) = of_type(messages_for(process([wide], [TARGET], row_level=rows)), "spark_process")
    assert len(flow["attributes"]["details"]) < 2_000


def test_sentence_on_rows_replaces_the_one_of_an_earlier_run():
    assert _sentence(_flow()) == "Rows are not joined, filtered, grouped or sorted."
    cut = dataclasses.replace(SEVERAL, columns=(), row_level=(), columns_omitted="the plan is too large")
    assert _sentence(cut) == "Columns were not followed: the plan is too large."


# ---- which sources count


def test_unknown_source_column_is_referenced_but_not_defined():
    source, target = table("a", "x"), table("b", "v")
    hidden = ColumnLineage(dataset=target.key, column="v", sources=(ColumnSource(source.key, "_metadata", D.IDENTITY),))
    (entity,) = of_type(messages_for(process([source], [target], [hidden])), "spark_column_lineage")
    (reference,) = entity["relationshipAttributes"]["inputs"]
    assert (name(reference), "guid" in reference) == ("sales.a._metadata@prod", False)


@pytest.mark.parametrize("key", ["table:other", table("b").key])
def test_source_outside_the_inputs_is_omitted(key):
    source, target = table("a", "x"), table("b", "v")
    strange = ColumnLineage(dataset=target.key, column="v", sources=(ColumnSource(key, "v", D.IDENTITY),))
    assert of_type(messages_for(process([source], [target], [strange])), "spark_column_lineage") == []


def test_columns_of_several_outputs_keep_apart():
    source, first, second = table("a", "x"), table("b", "v"), table("c", "v")
    lineage = [
        ColumnLineage(dataset=target.key, column="v", sources=(ColumnSource(source.key, "x", D.IDENTITY),))
        for target in (first, second)
    ]
    sent = messages_for(process([source], [first, second], lineage))
    names = [name(entity) for entity in of_type(sent, "spark_column_lineage")]
    assert [":sales.b.v:" in names[0], ":sales.c.v:" in names[1], len(set(names))] == [True, True, 2]
