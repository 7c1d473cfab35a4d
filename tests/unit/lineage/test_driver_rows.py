"""Notes of rows that passed through the driver, and what plans over such rows read."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence

import pytest

from sac_kafka.atlas.flows.processes import rows_sentence
from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.columns.output_columns import Columns
from sac_kafka.lineage.driver_values import IN_STATEMENT, MAX_READS, TRANSPOSED, DriverValues
from sac_kafka.lineage.extract import extract, origin
from sac_kafka.lineage.flow import TraversalOptions
from sac_kafka.model import (
    READ_BEFORE,
    ColumnLineage,
    ColumnSource,
    Dependency,
    DriverRead,
    PathDataset,
    Process,
    RowClause,
    Run,
)
from sac_kafka.model.gaps import (
    COLUMNS_OF_DRIVER,
    COLUMNS_OF_RDD,
    CONDITIONS_OF_DRIVER,
    DRIVER_READ_FORGOTTEN,
    INPUTS_MAY_BE_MISSING,
    gaps,
)
from sac_kafka.plan.commands import InsertIntoDataSourceDirCommand
from sac_kafka.plan.driver_notes import RDD_READ, READS_TAG, ROWS_MADE, ROWS_READ, DriverNote
from sac_kafka.plan.expressions import Attribute, AttributeReference
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.operators import Filter, Project, Union
from sac_kafka.plan.rdds import RddRows
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRDD, LogicalRelation, RowsWithoutDataset
from sac_kafka.plan.wire import UnknownObject
from sac_kafka.spark.calls import driver_values as through_driver
from sac_kafka.spark.calls import statements
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import APPLICATION


def _attribute(expr_id: int, name: str) -> Attribute:
    return Attribute(name=name, type="int", nullable=True, expr_id=expr_id)


def _reference(expr_id: int) -> AttributeReference:
    return AttributeReference(expr_id=expr_id)


def _read(path: str, *output: Attribute) -> LogicalPlan:
    relation = HadoopFsRelation(root_paths=(path,), file_format="parquet")
    return LogicalRelation(relation=relation, catalog_table=None, output=output)


def _rows(*output: Attribute) -> LogicalPlan:
    return RowsWithoutDataset(class_name="LocalRelation", output=output)


def _transposed(*output: Attribute) -> LogicalPlan:
    return RowsWithoutDataset(class_name="org.x.Transpose", output=output)


def _rdd(number: int, *output: Attribute) -> LogicalPlan:
    return LogicalRDD(output=output, rdd_id=number)


A, B = _attribute(1, "a"), _attribute(2, "b")
X, Y = _attribute(11, "x"), _attribute(12, "y")


def _of(*classes: str) -> RddRows:
    reads = tuple(UnknownObject(f"org.apache.spark.rdd.{each}") for each in classes)
    return RddRows(rdd_id=7, reads=reads, query_ids=(), queries=(), is_cut=False)


class Application:
    """The notes of one application."""

    def __init__(self, *, statement_inputs: bool = False) -> None:
        self.counts: Counter[str] = Counter()
        self.rows = DriverValues(self.counts, statement_inputs=statement_inputs)
        self.options = TraversalOptions(origins=(self.rows,))

    def read(self, number: int, plan: LogicalPlan | None) -> None:
        self._take(ROWS_READ, {"read": number}, plan)

    def made(self, plan: LogicalPlan | None, *uses: tuple[int, str, list[int | None]]) -> None:
        self._take(ROWS_MADE, {"uses": [{"read": r, "how": how, "columns": columns} for r, how, columns in uses]}, plan)

    def made_of(self, plan: LogicalPlan, *uses: dict[str, object], in_question: Sequence[int] = ()) -> None:
        self._take(ROWS_MADE, {"uses": uses, "in_question": in_question}, plan)

    def _take(self, kind: str, text: object, plan: LogicalPlan | None) -> None:
        note = DriverNote(kind=kind, text=json.dumps(text), plan=plan)
        assert self.rows.add_note(note, lambda read: origin(read, APPLICATION, self.counts, self.options))

    def written(self, query: LogicalPlan, *output: Attribute) -> list[str]:
        command = InsertIntoDataSourceDirCommand(
            children=(query,),
            is_command=True,
            path="file:/out",
            provider="parquet",
            query=query,
            overwrite=True,
            query_output=output,
        )
        process: Process
        (process,) = extract(command, Run(execution_id=1), APPLICATION, self.options).processes
        return lineage_lines([process], "/work")


@pytest.fixture
def application() -> Application:
    return Application()


def test_carried_columns_are_those_of_the_read(application: Application) -> None:
    application.read(0, Filter(children=(_read("file:/in", A, B),), condition=_reference(2)))
    application.made(_rows(X, Y), (0, "the whole of it", [None, 0]))
    assert application.written(_rows(X, Y), X, Y) == [
        "path:file:/out <= path:file:/in",
        "  y <- path:file:/in a identity",
        "  (rows) <- path:file:/in b filter",
        "  (through the driver) <- path:file:/in the whole of it",
        "  (missing) columns not known: rows or values went through the driver",
    ]


def test_columns_of_rows_made_by_the_driver_are_unknown(application: Application) -> None:
    application.read(0, Filter(children=(_read("file:/in", A, B),), condition=_reference(2)))
    application.made(_rdd(7, X), (0, "values of it", []))
    projected = Project(children=(_rdd(7, X),), project_list=(_reference(11),))
    assert application.written(projected, X) == [
        "path:file:/out <= path:file:/in",
        "  (through the driver) <- path:file:/in values of it",
        "  (missing) columns not known: rows or values went through the driver",
    ]


def test_a_checkpoint_or_a_copy_of_an_rdd_is_known_by_its_number(application: Application) -> None:
    application.read(0, _read("file:/in", A))
    application.made(_rdd(7, X), (0, "the whole of it", [0]))
    assert application.written(_rdd(7, Y), Y)[1] == "  y <- path:file:/in a identity"
    assert application.written(_rdd(8, Y), Y) == ["path:file:/out <= -", "  y <- -"]
    assert application.written(_rows(Y), Y) == ["path:file:/out <= -", "  y <- -"]


def test_rows_of_several_reads_have_the_inputs_of_all(application: Application) -> None:
    application.read(0, _read("file:/one", A))
    application.read(1, _read("file:/two", B))
    application.made(_rows(X), (0, "values of it", []), (1, "values of it", []))
    assert application.written(_rows(X), X) == [
        "path:file:/out <= path:file:/one, path:file:/two",
        "  (through the driver) <- path:file:/one values of it",
        "  (through the driver) <- path:file:/two values of it",
        "  (missing) columns not known: rows or values went through the driver",
    ]


def test_repeated_rows_keep_their_first_read(application: Application) -> None:
    application.read(0, _read("file:/in", A))
    application.made(_rows(X), (0, "the whole of it", [0]))
    application.read(1, _rows(X))
    application.made(_rdd(3, Y), (1, "the whole of it", [0]))
    assert application.written(_rdd(3, Y), Y) == [
        "path:file:/out <= path:file:/in",
        "  y <- path:file:/in a identity",
        "  (through the driver) <- path:file:/in the whole of it",
    ]


def test_read_without_a_dataset_is_no_input(application: Application) -> None:
    application.read(0, _rows(A))
    command = InsertIntoDataSourceDirCommand(
        class_name="C",
        children=(_read("file:/in", A),),
        is_command=True,
        path="file:/else",
        provider=None,
        query=_read("file:/in", A),
        overwrite=True,
        query_output=(A,),
    )
    application.read(1, command)
    application.read(2, None)
    application.made(_rows(X), (0, "values of it", []), (1, "values of it", []), (2, "values of it", []))
    assert application.written(_rows(X), X) == ["path:file:/out <= -", "  x <- -"]
    assert application.counts == {"rows of the driver: their inputs are no longer known": 1}


def test_notes_that_make_no_sense_change_nothing(application: Application) -> None:
    application.read(0, _read("file:/in", A))
    two = Union(children=(_rows(X), _rows(Y)))
    application.made(two, (0, "values of it", []))
    application.made(None, (0, "values of it", []))
    application.made(_rows(X), (99, "values of it", [0]))
    assert application.written(_rows(X), X) == ["path:file:/out <= -", "  x <- -"]
    application.made(_rows(X), (0, "the whole of it", [5]))
    assert application.written(_rows(X), X)[0] == "path:file:/out <= path:file:/in"
    assert not application.rows.add_note(DriverNote(kind="else", text="{}"), lambda _: pytest.fail("looked up"))


@pytest.mark.parametrize(
    ("expression", "sources", "gaps"),
    [
        (None, (ColumnSource("path:file:/in", "a", Dependency.IDENTITY),), ()),
        ("?", (), (COLUMNS_OF_DRIVER,)),
        ("a * 990001", (ColumnSource("path:file:/in", "a", Dependency.TRANSFORMATION),), (COLUMNS_OF_DRIVER,)),
        ("upper(a2)", (ColumnSource("path:file:/in", "a2", Dependency.TRANSFORMATION),), ()),
    ],
    ids=["copies", "a literal", "computed with a literal", "computed"],
)
@pytest.mark.parametrize("are_inputs", [True, False])
def test_value_in_a_statement_decides_it_and_may_be_in_a_column_with_a_literal(
    expression: str | None, sources: tuple[ColumnSource, ...], gaps: tuple[str, ...], *, are_inputs: bool
) -> None:
    application = Application(statement_inputs=are_inputs)
    application.read(3, _read("file:/read", B))
    column = ColumnLineage(dataset="path:file:/out", column="x", sources=sources, expression=expression)
    process = Process(
        application=APPLICATION,
        run=Run(execution_id=1),
        inputs=(PathDataset(path="file:/in", format="parquet"),),
        outputs=(PathDataset(path="file:/out", format="parquet"),),
        columns=(column,),
    )
    flow = application.rows.with_statement_values(
        process, (3,), lambda read: origin(read, APPLICATION, application.counts)
    )
    keys = [[d.key for d in datasets] for datasets in (flow.inputs, flow.decided_by)]
    if are_inputs:
        assert keys == [["path:file:/in", "path:file:/read"], []]
        assert [(each.dataset.key, each.how) for each in flow.through_driver] == [("path:file:/read", IN_STATEMENT)]
    else:
        assert keys == [["path:file:/in"], ["path:file:/read"]]
        assert flow.through_driver == ()
    assert flow.gaps == gaps


def test_deciding_dataset_is_listed_once_and_its_gaps_do_not_count_for_inputs(
    application: Application,
) -> None:
    read = Origin(
        inputs=(PathDataset(path="file:/in", format="parquet"),), columns=Columns(()), gaps=(INPUTS_MAY_BE_MISSING,)
    )
    for number in (1, 2):
        application.rows.add_rdd_read(json.dumps({"read": number}), read)
    out = PathDataset(path="file:/out", format="parquet")
    copied = ColumnLineage(
        dataset=out.key, column="x", sources=(ColumnSource("path:file:/in", "x", Dependency.IDENTITY),)
    )
    process = Process(
        application=APPLICATION, run=Run(execution_id=1), inputs=read.inputs, outputs=(out,), columns=(copied,)
    )
    flow = application.rows.with_statement_values(process, (1, 2), lambda _: pytest.fail("looked up"))
    assert (flow.decided_by, flow.gaps) == (read.inputs, (CONDITIONS_OF_DRIVER,))
    assert (
        application.rows.with_statement_values(
            dataclasses.replace(process, outputs=()), (1,), lambda _: read
        ).decided_by
        == ()
    )


_NOT_UNDERSTOOD = "relation not understood: org.example.Mystery"


@pytest.mark.parametrize(
    ("read", "gap"),
    [
        (Origin(inputs=(), columns=Columns(()), gaps=(_NOT_UNDERSTOOD,)), _NOT_UNDERSTOOD),
        (None, DRIVER_READ_FORGOTTEN),
        (
            Origin(
                inputs=(),
                columns=Columns(()),
                through_driver=(DriverRead(PathDataset(path="file:/maybe", format="parquet"), READ_BEFORE),),
            ),
            "inputs may be missing: rows of the driver (file:/maybe was read just before)",
        ),
    ],
    ids=["not understood", "forgotten", "in question"],
)
@pytest.mark.parametrize("are_inputs", [True, False])
def test_an_unknown_read_that_decides_rows_is_a_gap(read: Origin | None, gap: str, *, are_inputs: bool) -> None:
    application = Application(statement_inputs=are_inputs)
    if read is not None:
        application.rows.add_rdd_read('{"read": 1}', read)
    clause = RowClause(dependency=Dependency.FILTER, text="n < ?", sources=())
    sources = (ColumnSource("path:file:/in", "a", Dependency.IDENTITY),)
    process = Process(
        application=APPLICATION,
        run=Run(execution_id=1),
        inputs=(PathDataset(path="file:/in", format="parquet"),),
        outputs=(PathDataset(path="file:/out", format="parquet"),),
        columns=(ColumnLineage(dataset="path:file:/out", column="a", sources=sources),),
        clauses=(clause,),
    )
    flow = application.rows.with_statement_values(process, (1,), lambda _: pytest.fail("looked up"))
    assert gaps(flow) == ((gap if are_inputs else CONDITIONS_OF_DRIVER),)
    if not are_inputs:
        assert rows_sentence(flow) == "Rows filtered by n < ?; what else decides them is not known."


def test_a_value_of_no_dataset_decides_rows_without_a_gap(application: Application) -> None:
    application.read(1, _rows(A))
    process = Process(
        application=APPLICATION,
        run=Run(execution_id=1),
        inputs=(),
        outputs=(PathDataset(path="file:/out", format="parquet"),),
    )
    assert (
        application.rows.with_statement_values(process, (1,), lambda read: origin(read, APPLICATION, Counter()))
        is process
    )


@pytest.mark.parametrize(
    ("rows", "is_used"),
    [
        (_of("ParallelCollectionRDD", "EmptyRDD"), True),
        (_of("ParallelCollectionRDD", "MysteryRDD"), False),
        (dataclasses.replace(_of("ParallelCollectionRDD"), query_ids=(5,)), False),
        (dataclasses.replace(_of("ParallelCollectionRDD"), is_cut=True), False),
        (None, False),
    ],
    ids=["of the driver", "of something else", "of a query", "cut", "not followed"],
)
def test_a_frame_of_an_rdd_was_read_before_if_it_is_of_rows_of_the_driver(
    application: Application, rows: RddRows | None, *, is_used: bool
) -> None:
    application.read(3, _read("file:/read", B))
    leaf = LogicalRDD(output=(X,), rdd_id=7, rows=rows)
    uses = {"uses": [], "in_question": [3], "is_rdd": True}
    application.rows.add_note(
        DriverNote(kind=ROWS_MADE, text=json.dumps(uses), plan=leaf), lambda read: origin(read, APPLICATION, Counter())
    )
    assert (application.rows.origin_of(leaf) is not None) == is_used


def test_rows_of_an_rdd_are_of_what_the_rdd_reads(application: Application) -> None:
    known = Origin(
        inputs=(PathDataset(path="file:/in", format="parquet"),), columns=Columns(()), gaps=(COLUMNS_OF_RDD,)
    )
    application.rows.add_rdd_read('{"read": 4}', known)
    application.made(_rows(X), (4, "values of it", []))
    assert application.written(_rows(X), X)[:2] == [
        "path:file:/out <= path:file:/in",
        "  (through the driver) <- path:file:/in values of it",
    ]


MAY_MISS = "  (missing) inputs may be missing: rows of the driver (file:/in was read just before)"
COLUMNS = "  (missing) columns not known: rows or values went through the driver"


def test_read_in_question_is_no_input_and_is_named_in_a_gap(application: Application) -> None:
    application.read(0, _read("file:/in", A))
    application.read(1, _rows(B))
    application.made_of(_rows(X), in_question=[0, 1])
    assert application.written(_rows(X), X) == ["path:file:/out <= -", MAY_MISS, COLUMNS]
    application.made_of(_rows(Y), in_question=[1])
    assert application.written(_rows(Y), Y) == ["path:file:/out <= -", "  y <- -"]


def test_read_in_question_that_is_an_input_anyway_is_not_missing(application: Application) -> None:
    application.read(0, _read("file:/in", A))
    application.read(1, _read("file:/in", A))
    application.made_of(_rows(X), {"read": 0, "how": "values of it", "columns": []}, in_question=[1])
    assert application.written(_rows(X), X)[0] == "path:file:/out <= path:file:/in"
    assert MAY_MISS not in application.written(_rows(X), X)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("file:/in", "file:/in"), ["path:file:/out <= path:file:/in"]),
        (
            ("file:/in", "file:/else"),
            [
                "path:file:/out <= -",
                "  (missing) inputs may be missing: rows of the driver (file:/else, file:/in were read just before)",
            ],
        ),
    ],
    ids=["a query that was repeated", "of two datasets"],
)
def test_reads_that_look_alike_are_an_input_if_they_have_the_same_dataset(
    application: Application, paths: tuple[str, str], expected: list[str]
) -> None:
    for number, path in enumerate(paths):
        application.read(number, _read(path, A))
    application.made_of(_rows(X), {"read": 1, "how": "values of it", "columns": [], "alike": [0]})
    lines = application.written(_rows(X), X)
    assert [line for line in lines if "<=" in line or "inputs may" in line] == expected


def test_gap_names_a_few_of_many_reads_in_question(application: Application) -> None:
    for number in range(7):
        application.read(number, _read(f"file:/{number}", A))
    application.made_of(_rows(X), in_question=list(range(7)))
    assert application.written(_rows(X), X)[1] == (
        "  (missing) inputs may be missing: rows of the driver "
        "(file:/0, file:/1, file:/2, file:/3, file:/4 and 2 more were read just before)"
    )


def test_transposed_rows_have_only_the_sources_of_the_original(application: Application) -> None:
    application.read(0, _read("file:/in", A))
    application.made(_transposed(X), (0, TRANSPOSED, []))
    application.read(1, _rows(B))
    application.made(_transposed(Y), (1, TRANSPOSED, []))
    assert application.written(_transposed(X), X) == [
        "path:file:/out <= path:file:/in",
        "  (through the driver) <- path:file:/in transposed",
        "  (missing) columns not known: rows or values went through the driver",
    ]
    assert application.written(_transposed(Y), Y) == [
        "path:file:/out <= -",
        "  (missing) columns not known: rows or values went through the driver",
    ]
    assert application.written(_transposed(A), A) == [
        "path:file:/out <= -",
        "  a <- -",
        "  (missing) inputs not known: transposed rows",
    ]


def test_rows_of_a_relation_that_is_not_understood_may_have_an_input_after_the_driver_too(
    application: Application,
) -> None:
    application.read(0, UnknownPlan(class_name="org.x.Mystery", output=(A,)))
    application.made(_rows(X), (0, "values of it", []))
    assert "  (missing) relation not understood: org.x.Mystery" in application.written(_rows(X), X)


def test_only_the_last_reads_are_remembered(application: Application) -> None:
    for number in range(MAX_READS + 1):
        application.read(number, _read(f"file:/{number}", A))
    application.made(_rows(X), (0, "values of it", []), (1, "values of it", []))
    assert application.written(_rows(X), X)[0] == "path:file:/out <= path:file:/1"


def test_notes_have_the_same_names_in_both_packages() -> None:
    assert (through_driver.ROWS_READ, through_driver.ROWS_MADE) == (ROWS_READ, ROWS_MADE)
    assert through_driver.RDD_READ == RDD_READ
    assert through_driver.TRANSPOSED == TRANSPOSED
    assert statements.READS_TAG == READS_TAG
