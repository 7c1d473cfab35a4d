"""Processes and changes after filtering: remaining parts, messages and counts."""

from __future__ import annotations

import dataclasses
import json
import random
import re
from collections.abc import Iterable
from typing import Any

import pytest

from sac_kafka.atlas.flows.processes import NOT_KNOWN, rows_sentence
from sac_kafka.atlas.memory import Remembered
from sac_kafka.model import (
    Change,
    ColumnLineage,
    ColumnRenamed,
    ColumnSource,
    Database,
    DatabaseDefined,
    DatabaseDropped,
    Dataset,
    Dependency,
    Outcome,
    Process,
    Requester,
    RowClause,
    Stream,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.gaps import CONDITIONS_EXCLUDED
from sac_kafka.stages.filters.outcomes import FilterCounts
from tests.helpers.seeds import seed
from tests.helpers.staged import filtered
from tests.unit.atlas.flows import (
    APPLICATION,
    DAY,
    NOW,
    copies,
    ends,
    messages_for,
    name,
    of_type,
    path,
    process,
    table,
)
from tests.unit.lineage.filters.datasets import selection

ORDERS, SECRETS = table("orders", "id", "amount"), table("tmp_secrets", "id", "rate")
REPORT, SCRATCH = path("s3a://lake/report", "id", "total", "rate"), path("s3a://lake/scratch/x", "id")


def source(dataset: Dataset, column: str, dependency: Dependency = Dependency.IDENTITY) -> ColumnSource:
    return ColumnSource(dataset.key, column, dependency)


JOINED = dataclasses.replace(
    process(
        [ORDERS, SECRETS],
        [REPORT],
        [
            ColumnLineage(dataset=REPORT.key, column="id", sources=(source(ORDERS, "id"),)),
            ColumnLineage(
                dataset=REPORT.key,
                column="total",
                sources=(
                    source(ORDERS, "amount", Dependency.TRANSFORMATION),
                    source(SECRETS, "rate", Dependency.CONDITIONAL),
                ),
                expression="amount * rate",
            ),
            ColumnLineage(dataset=REPORT.key, column="rate", sources=(source(SECRETS, "rate"),)),
            ColumnLineage(dataset=REPORT.key, column="day", sources=(), expression="?"),
        ],
        [source(ORDERS, "id", Dependency.JOIN), source(SECRETS, "id", Dependency.JOIN)],
        clauses=[
            RowClause(
                dependency=Dependency.JOIN,
                text="orders.id = tmp_secrets.id",
                sources=(source(ORDERS, "id", Dependency.JOIN), source(SECRETS, "id", Dependency.JOIN)),
            )
        ],
    ),
    versions_read=((ORDERS.key, "version 3"), (SECRETS.key, "version 4")),
)


def stays(
    outcomes: Iterable[Outcome], exclude: str = "", include: str = "", left_out: FilterCounts | None = None
) -> list[Outcome]:
    return list(filtered(outcomes, APPLICATION, selection(exclude, include), left_out or FilterCounts()))


def counts(left_out: FilterCounts) -> dict[str, dict[str, int]]:
    by_name = {each.name: dict(getattr(left_out, each.name)) for each in dataclasses.fields(left_out)}
    return {of: found for of, found in by_name.items() if found}


def test_without_rules_all_stays_as_it_is() -> None:
    left_out = FilterCounts()
    (same,) = stays([JOINED], "table:other.*", left_out=left_out)
    assert same is JOINED
    assert counts(left_out) == {}


def test_process_is_excluded_with_its_last_output() -> None:
    left_out = FilterCounts()
    assert stays([process([ORDERS], [SCRATCH])], "path:scratch/**,table:orders", left_out=left_out) == []
    assert counts(left_out) == {"processes": {"path:scratch/**": 1}}


def test_process_that_never_had_outputs_is_kept() -> None:
    reads = process([ORDERS, SECRETS], [])
    assert stays([reads], "table:tmp_*") == [dataclasses.replace(reads, inputs=(ORDERS,), inputs_excluded=1)]


def test_output_is_excluded_with_its_columns() -> None:
    both = process([ORDERS], [REPORT, SCRATCH], (*copies(ORDERS, REPORT), *copies(ORDERS, SCRATCH)))
    left_out = FilterCounts()
    (left,) = stays([both], "path:scratch/**", left_out=left_out)
    assert isinstance(left, Process)
    assert (left.outputs, left.columns, left.inputs_excluded) == ((REPORT,), copies(ORDERS, REPORT), 0)
    assert counts(left_out) == {"datasets": {"path:scratch/**": 1}}


def test_input_is_excluded_with_all_references() -> None:
    left_out = FilterCounts()
    (left,) = stays([JOINED], "table:tmp_*", left_out=left_out)
    assert isinstance(left, Process)
    assert (left.inputs, left.inputs_excluded) == ((ORDERS,), 1)
    assert [(each.column, [s.column for s in each.sources]) for each in left.columns] == [
        ("id", ["id"]),
        ("total", ["amount"]),
        ("day", []),
    ]
    assert left.row_level == (source(ORDERS, "id", Dependency.JOIN),)
    assert (left.clauses, left.gaps) == ((), (CONDITIONS_EXCLUDED,))
    assert left.versions_read == ((ORDERS.key, "version 3"),)
    assert counts(left_out) == {"datasets": {"table:tmp_*": 1}, "column_sources": {"table:tmp_*": 2}}


def test_no_message_names_an_excluded_dataset() -> None:
    (left,) = stays([JOINED], "table:tmp_*")
    assert isinstance(left, Process)
    sent = messages_for(left)
    assert not re.search(r"tmp_secrets|\* rate", "".join(message.value for message in sent))
    (total,) = (e for e in of_type(sent, "spark_column_lineage") if e["attributes"]["name"].endswith(".total"))
    assert total["attributes"]["description"] == "transformation: sales.orders.amount"
    (flow,) = of_type(sent, "spark_process")
    assert ends(flow, "inputs") == ["sales.orders@prod"]
    assert flow["attributes"]["description"] == NOT_KNOWN
    assert flow["customAttributes"]["inputs_excluded"] == "1"
    assert json.loads(flow["attributes"]["details"])["inputs_excluded"] == 1
    assert "columns_without_sources" in flow["customAttributes"]
    assert "rate" not in flow["customAttributes"]["columns_without_sources"]
    lineage = {name(each).split(":")[-2]: ends(each, "inputs") for each in of_type(sent, "spark_column_lineage")}
    assert lineage == {"id": ["sales.orders.id@prod"], "total": ["sales.orders.amount@prod"]}


def test_conditions_of_kept_datasets_are_stated() -> None:
    own = RowClause(dependency=Dependency.FILTER, text="amount > ?", sources=(source(ORDERS, "amount"),))
    (left,) = stays([dataclasses.replace(JOINED, clauses=(*JOINED.clauses, own))], "table:tmp_*")
    assert isinstance(left, Process)
    assert left.clauses == (own,)
    assert rows_sentence(left) == "Rows filtered by amount > ?; what else decides them is not known."


def test_an_excluded_dataset_that_decided_rows_is_a_gap() -> None:
    (left,) = stays([dataclasses.replace(process([ORDERS], [REPORT]), decided_by=(SECRETS,))], "table:tmp_*")
    assert isinstance(left, Process)
    assert (left.decided_by, left.gaps, rows_sentence(left)) == ((), (CONDITIONS_EXCLUDED,), NOT_KNOWN)


def test_descriptions_of_what_a_stream_reads_go_with_an_excluded_input() -> None:
    stream = Stream(
        identity=("q",),
        name="q",
        checkpoint=None,
        query_id="1",
        run_id="2",
        rows_read=(("tmp_secrets", 3), ("orders", 4)),
    )
    (left,) = stays([dataclasses.replace(JOINED, stream=stream)], "table:tmp_*")
    (same,) = stays([dataclasses.replace(JOINED, stream=stream)], "table:other")
    assert [p.stream.rows_read for p in (left, same) if isinstance(p, Process) and p.stream] == [(), stream.rows_read]


def test_process_without_remaining_inputs_describes_that() -> None:
    (left,) = stays([JOINED], "kind:tables")
    assert isinstance(left, Process)
    (flow,) = of_type(messages_for(left), "spark_process")
    assert flow["attributes"]["name"] == "daily load: 2 inputs excluded -> lake/report"
    assert flow["customAttributes"]["inputs_excluded"] == "2"


def test_unfiltered_process_mentions_no_filter() -> None:
    (flow,) = of_type(messages_for(JOINED), "spark_process")
    assert "inputs_excluded" not in flow["customAttributes"]


# ---- jobs and users

RUN_BY_BOB = dataclasses.replace(
    JOINED, run=dataclasses.replace(JOINED.run, requester=Requester(user="bob", server="Thrift server"))
)
OF_A_SESSION = dataclasses.replace(JOINED, application=dataclasses.replace(APPLICATION, job="adhoc-7"))
DEFINED = TableDefined(table=ORDERS)


@pytest.mark.parametrize(
    ("outcome", "exclude", "include", "is_kept"),
    [
        (JOINED, "job:daily*", "", False),
        (JOINED, "job:adhoc-*", "", True),
        (OF_A_SESSION, "job:adhoc-*", "", False),
        (OF_A_SESSION, "", "job:daily*", False),
        (JOINED, "user:alice", "", False),
        (RUN_BY_BOB, "user:alice", "", True),
        (RUN_BY_BOB, "user:bob", "", False),
        (JOINED, "", "user:bob", False),
        (DEFINED, "job:daily*", "", False),
        (DEFINED, "job:adhoc-*", "", True),
        (DEFINED, "user:alice", "", False),
        (DEFINED, "", "user:bob", False),
        (dataclasses.replace(JOINED, defines_view=True), "job:daily*", "", False),
    ],
)
def test_jobs_and_users(outcome: Outcome, exclude: str, include: str, is_kept: bool) -> None:
    left_out = FilterCounts()
    assert bool(stays([outcome], exclude, include, left_out)) is is_kept
    assert sum(n for by_rule in counts(left_out).values() for n in by_rule.values()) == (not is_kept)


def test_table_created_by_an_excluded_job_is_not_sent() -> None:
    made = dataclasses.replace(OF_A_SESSION, outputs=(ORDERS,))
    other = TableDefined(table=table("other", "id"))
    left_out = FilterCounts()
    assert stays([DEFINED, other, made], "job:adhoc-*", left_out=left_out) == [other]
    assert counts(left_out) == {"processes": {"job:adhoc-*": 1}, "changes": {"job:adhoc-*": 1}}


# ---- changes

TMP, SALES = table("tmp_1", "id", "amount"), table("sales")
OUT = "table:tmp_*"


@pytest.mark.parametrize(
    ("change", "exclude", "expected"),
    [
        (TableDefined(table=ORDERS), OUT, [TableDefined(table=ORDERS)]),
        (TableDefined(table=TMP), OUT, []),
        (TableDropped(table=TMP), OUT, []),
        (TableDropped(table=ORDERS), OUT, [TableDropped(table=ORDERS)]),
        (ColumnRenamed(table=TMP, old="id", new="key"), OUT, []),
        (ColumnRenamed(table=ORDERS, old="id", new="key"), OUT, [ColumnRenamed(table=ORDERS, old="id", new="key")]),
        (TableRenamed(old=ORDERS, new=TMP), OUT, [TableDropped(table=ORDERS)]),
        (TableRenamed(old=TMP, new=ORDERS), OUT, [TableDefined(table=ORDERS)]),
        (TableRenamed(old=TMP, new=table("tmp_2")), OUT, []),
        (TableRenamed(old=ORDERS, new=SALES), OUT, [TableRenamed(old=ORDERS, new=SALES)]),
        (DatabaseDefined(database=Database(name="tmp_1")), "table:tmp_*.*", []),
        (DatabaseDropped(database=Database(name="tmp_1")), "table:tmp_*.*", []),
        (
            DatabaseDropped(database=Database(name="sales")),
            "table:sales.tmp_*",
            [DatabaseDropped(database=Database(name="sales"))],
        ),
    ],
)
def test_changes(change: Change, exclude: str, expected: list[Change]) -> None:
    left_out = FilterCounts()
    assert stays([change], exclude, left_out=left_out) == expected
    assert counts(left_out) == ({} if expected else {"changes": {exclude: 1}})


# ---- no dangling references under any rules


@pytest.mark.slow
def test_kept_parts_never_refer_to_excluded_ones() -> None:
    draw = random.Random(seed(34))
    rules = (
        "table:orders",
        "table:tmp_*",
        "path:report",
        "path:scratch/**",
        "kind:tables",
        "kind:files",
        "table:sales.*",
    )
    seen: set[tuple[int, int]] = set()
    for _ in range(300):
        exclude = ",".join(draw.sample(rules, draw.randint(0, 3)))
        include = ",".join(draw.sample(("table:*", "path:/**", "path:report"), draw.randint(0, 2)))
        both = dataclasses.replace(JOINED, outputs=(REPORT, SCRATCH))
        for left in stays([both], exclude, include):
            assert isinstance(left, Process)
            there = {each.key for each in (*left.inputs, *left.outputs)}
            used = {s.dataset for each in left.columns for s in each.sources}
            used |= {s.dataset for s in left.row_level} | {each.dataset for each in left.columns}
            used |= {s.dataset for clause in left.clauses for s in clause.sources}
            used |= {key for key, _ in left.versions_read}
            assert used <= there
            assert left.outputs
            assert left.inputs_excluded == 2 - len(left.inputs)
            seen.add((len(left.inputs), len(left.outputs)))
            messages_for(left)
    assert len(seen) == 6


# ---- the memory of sent entities


def _columns(left: Outcome, remembered: Remembered) -> set[str]:
    assert isinstance(left, Process)
    sent = messages_for(left, remembered)
    for message in sent:
        remembered.confirm(message.tokens, NOW)
    return {name(each) for each in of_type(sent, "spark_column", "spark_process", "spark_column_lineage")}


def test_temporarily_excluded_dataset_is_neither_forgotten_nor_lost() -> None:
    """Change the rules with each run; the memory of sent entities passes through all of them, as in the file."""
    remembered = Remembered(max_age_ms=DAY)
    (without,) = stays([JOINED], "table:tmp_*")
    first, second = _columns(without, remembered), _columns(without, remembered)
    assert any("orders.id" in each for each in first)
    assert {each for each in second if ":" not in each} == set()
    everything = _columns(JOINED, remembered)
    assert any("tmp_secrets.rate" in each for each in everything)
    flows = {each for each in first if each.startswith("daily load:")}
    assert flows.isdisjoint(everything)
    again = _columns(without, remembered)
    assert len(again) == len(second) == 1
    assert {each for each in _columns(JOINED, remembered) if "tmp_secrets" in each} == set()
    changed = dataclasses.replace(SECRETS, columns=(*SECRETS.columns, *table("x", "new").columns))
    with_more = dataclasses.replace(JOINED, inputs=(ORDERS, changed))
    assert any("tmp_secrets.new" in each for each in _columns(with_more, remembered))


def test_process_without_its_input_has_another_name() -> None:
    def flow(left: Any) -> str:
        (entity,) = of_type(messages_for(left), "spark_process")
        return name(entity)

    (without,) = stays([JOINED], "table:tmp_*")
    assert flow(without) == flow(dataclasses.replace(JOINED, inputs=(ORDERS,), columns=()))
    assert flow(without) != flow(JOINED)
