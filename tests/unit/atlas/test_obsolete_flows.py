"""What a statement proves to be gone: sequences of statements, and the flows that a server has at their end."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

import pytest

from sac_kafka.atlas.context import Context
from sac_kafka.atlas.dialect import AtlasDialect, Dialect
from sac_kafka.atlas.flows.standing import HOLD_MS, MAX_DELETIONS, FlowRow
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import Message, messages, without_obsolete
from sac_kafka.model import (
    APPENDED,
    REPLACED,
    ColumnLineage,
    ColumnSource,
    Dependency,
    Extent,
    Outcome,
    Process,
    RowsRemoved,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.gaps import INPUTS_MAY_BE_MISSING
from tests.helpers.staged import scheduler_of
from tests.unit.atlas.flows import APPLICATION, CONTEXT, DAY, NOW, process, table
from tests.unit.purview.account import Account

JOB = APPLICATION.job
A, B, T, U, S = (table(each, "x", "y", table_type="MANAGED") for each in "abtus")
JOB_OF_OTHERS = "nightly"


def write(
    source: TableDataset, target: TableDataset, extent: Extent = APPENDED, *, job: str = JOB, **of: str
) -> Process:
    """Return a flow: each column of the target, named by keyword, from a column of the source; x from x by default."""
    pairs = of or {"x": "x"}
    columns = tuple(
        ColumnLineage(dataset=target.key, column=to, sources=(ColumnSource(source.key, by, Dependency.IDENTITY),))
        for to, by in pairs.items()
    )
    unfilled = tuple(
        ColumnLineage(dataset=target.key, column=c.name, sources=()) for c in target.columns if c.name not in pairs
    )
    flow = process([source], [target], (*columns, *unfilled), job=job)
    return dataclasses.replace(flow, extent=extent)


def part(number: int, *, is_replaced: bool = True) -> Extent:
    return Extent(part=f"#{number}", is_replaced=is_replaced)


def removed(target: TableDataset, part: str = "", job: str = JOB) -> RowsRemoved:
    return RowsRemoved(dataset=target, part=part, job=job)


def dropped(target: TableDataset) -> TableDropped:
    return TableDropped(table=target)


def created(target: TableDataset) -> TableDefined:
    return TableDefined(table=target)


def renamed(old: TableDataset, new: TableDataset) -> TableRenamed:
    return TableRenamed(old=old, new=new)


def view(source: TableDataset, name: str) -> Process:
    return dataclasses.replace(write(source, _view(name)), defines_view=True)


def _view(name: str) -> TableDataset:
    return table(name, "x", "y", table_type="VIEW")


class Server:
    """What a server has after the messages of one application."""

    def __init__(
        self,
        flows: Iterable[FlowRow] = (),
        dialect: Dialect | None = None,
        context: Context = CONTEXT,
        earlier: Remembered | None = None,
    ) -> None:
        known = earlier.changed_groups if earlier is not None else {}
        self.remembered = Remembered(max_age_ms=DAY, flows=flows, earlier=known)
        self.dialect, self.context = dialect or AtlasDialect(), context
        self.scheduler = scheduler_of(context)
        self.names: dict[str, dict[str, Any]] = {}
        self.deleted: list[str] = []

    def run(self, *outcomes: Outcome, now_ms: int = NOW) -> None:
        for outcome in outcomes:
            self.statement(outcome, now_ms=now_ms)

    def statement(self, *outcomes: Outcome, now_ms: int = NOW) -> None:
        """Report what one statement did."""
        for step in self.scheduler.schedule(outcomes, now_ms):
            self._receive(
                messages(
                    step.outcome,
                    context=self.context,
                    remembered=self.remembered,
                    now_ms=now_ms,
                    defined=step.defined,
                    dialect=self.dialect,
                )
            )

    def end(self, now_ms: int = NOW, *, everything: bool = True) -> None:
        for step in tuple(self.scheduler.held() if everything else self.scheduler.due(now_ms)):
            self._receive(
                messages(
                    step.outcome, context=self.context, remembered=self.remembered, now_ms=now_ms, dialect=self.dialect
                )
            )
        self._receive(
            without_obsolete(
                self.remembered, context=self.context, now_ms=now_ms, dialect=self.dialect, everything=everything
            )
        )

    def _receive(self, sent: Iterable[Message]) -> None:
        for message in sent:
            self.remembered.confirm(message.tokens, NOW, self.remembered.epoch)
            body = json.loads(message.value)["message"]
            if body["type"] == "ENTITY_DELETE_V2":
                for each in body["entities"]:
                    self.names.pop(_name(each), None)
                    self.deleted.append(_name(each))
            elif body["type"] == "ENTITY_CREATE_V2":
                for each in body["entities"]["entities"]:
                    self.names[_name(each)] = each

    @property
    def flows(self) -> set[str]:
        """The flows as `input>output` of their tables."""
        return {f"{_tables(each, 'inputs')}>{_tables(each, 'outputs')}" for each in self._of("process")}

    @property
    def edges(self) -> set[str]:
        """The column lineage as `input.column>output.column`."""
        return {f"{_tables(each, 'inputs')}>{_tables(each, 'outputs')}" for each in self._of("column_lineage")}

    def _of(self, kind: str) -> list[dict[str, Any]]:
        return [each for each in self.names.values() if each["typeName"].endswith(kind)]


def _name(entity: dict[str, Any]) -> str:
    found = entity.get("attributes", entity.get("uniqueAttributes"))
    return str(found["qualifiedName"]) if found is not None else ""


def _tables(entity: dict[str, Any], side: str) -> str:
    ends = {**entity["attributes"], **entity.get("relationshipAttributes", {})}[side]
    return ",".join(sorted(_name(each).removeprefix("sales.").partition("@")[0] for each in ends))


def left_by(*outcomes: Outcome) -> set[str]:
    server = Server()
    server.run(*outcomes)
    server.end()
    return server.flows


@pytest.mark.parametrize(
    ("statements", "left"),
    [
        pytest.param([write(A, T, REPLACED), dropped(T), write(B, T, REPLACED)], {"b>t"}, id="DROP and CTAS"),
        pytest.param(
            [write(A, T), dropped(T), created(T), removed(T), write(B, T)], {"b>t"}, id="DROP, CREATE, INSERT"
        ),
        pytest.param([write(A, T), removed(T), write(B, T)], {"b>t"}, id="TRUNCATE and INSERT"),
        pytest.param([write(A, T), removed(T)], set(), id="TRUNCATE"),
        pytest.param([write(A, T), write(B, T, REPLACED)], {"b>t"}, id="overwrite of all"),
        pytest.param([write(A, T), write(B, T)], {"a>t", "b>t"}, id="append"),
        pytest.param([write(A, T), dropped(T), created(T), write(B, T)], {"a>t", "b>t"}, id="external table"),
        pytest.param(
            [write(A, T, REPLACED), write(B, T), write(A, T, REPLACED), write(B, T)], {"a>t", "b>t"}, id="again"
        ),
        pytest.param([write(A, T, part(1)), write(B, T, part(1))], {"b>t"}, id="one partition"),
        pytest.param([write(A, T, part(1)), write(B, T, part(2))], {"a>t", "b>t"}, id="another partition"),
        pytest.param(
            [write(A, T, part(1)), write(A, T, part(2)), write(B, T, part(1))], {"a>t", "b>t"}, id="one of two"
        ),
        pytest.param([write(A, T), write(B, T, part(1))], {"a>t", "b>t"}, id="rows anywhere, one partition"),
        pytest.param([write(A, T, part(1, is_replaced=False)), removed(T, "#1")], set(), id="TRUNCATE of a partition"),
        pytest.param([write(A, T, job=JOB_OF_OTHERS), write(B, T, REPLACED)], {"a>t", "b>t"}, id="another job"),
        pytest.param([write(A, T, job=JOB_OF_OTHERS), removed(T)], {"a>t"}, id="another job's TRUNCATE"),
        pytest.param([write(A, T), renamed(T, S), write(B, T, REPLACED)], {"a>t", "b>t"}, id="renamed before"),
        pytest.param([write(A, T), renamed(T, S), write(B, S, REPLACED)], {"b>s"}, id="renamed, then replaced"),
        pytest.param([write(A, S), dropped(S), write(B, T), renamed(T, S)], {"b>t"}, id="renamed over a dropped one"),
        pytest.param([write(T, T, REPLACED), write(A, T, REPLACED)], {"a>t"}, id="own rows replaced"),
    ],
)
def test_a_flow_whose_rows_are_gone_goes(statements: list[Outcome], left: set[str]) -> None:
    """The names in the messages are those of the time of writing."""
    assert left_by(*statements) == left


@pytest.mark.parametrize(
    ("statements", "left"),
    [
        pytest.param([write(A, T), write(T, T, REPLACED)], {"a>t", "t>t"}, id="of itself"),
        pytest.param(
            [write(A, T), write(T, S, REPLACED), write(S, T, REPLACED)], {"a>t", "t>s", "s>t"}, id="by a copy"
        ),
        pytest.param(
            [write(A, T), write(T, S), removed(T), write(S, T)], {"a>t", "t>s", "s>t"}, id="emptied, then from the copy"
        ),
        pytest.param(
            [write(A, T), view(T, "v"), write(_view("v"), S), write(S, T, REPLACED)],
            {"a>t", "t>v", "v>s", "s>t"},
            id="by a view and a copy",
        ),
        pytest.param(
            [write(A, T), dataclasses.replace(write(B, T, REPLACED), gaps=(INPUTS_MAY_BE_MISSING,))],
            {"a>t", "b>t"},
            id="inputs may be missing",
        ),
    ],
)
def test_a_flow_stays_if_the_new_rows_may_be_made_of_its_own(statements: list[Outcome], left: set[str]) -> None:
    assert left_by(*statements) == left


@pytest.mark.parametrize(
    ("statements", "left"),
    [
        pytest.param(
            [write(A, S, REPLACED), write(S, U), write(B, S, REPLACED), write(S, U)],
            {"a>s", "b>s", "s>u"},
            id="appended",
        ),
        pytest.param(
            [write(A, S, REPLACED), write(S, U, REPLACED), write(B, S, REPLACED), write(S, U, REPLACED)],
            {"b>s", "s>u"},
            id="replaced too",
        ),
        pytest.param(
            [write(A, S, REPLACED), write(S, U, REPLACED), write(B, S, REPLACED)], {"a>s", "b>s", "s>u"}, id="not yet"
        ),
        pytest.param(
            [
                *[write(A, S, REPLACED), write(S, U, REPLACED), write(U, T)],
                *[write(B, S, REPLACED), write(S, U, REPLACED), write(U, T)],
            ],
            {"a>s", "b>s", "s>u", "u>t"},
            id="two steps on",
        ),
        pytest.param([write(A, S), view(S, "v"), write(B, S, REPLACED)], {"b>s", "s>v"}, id="a view holds no rows"),
    ],
)
def test_a_flow_stays_while_its_rows_are_elsewhere(statements: list[Outcome], left: set[str]) -> None:
    assert left_by(*statements) == left


@pytest.mark.parametrize(
    ("statements", "left"),
    [
        pytest.param([write(A, T, x="x"), removed(T), write(A, T, x="y")], {"a.y>t.x"}, id="TRUNCATE and INSERT"),
        pytest.param([write(A, T, x="x"), removed(T), write(A, T, y="x")], {"a.x>t.y"}, id="into another column"),
        pytest.param([write(A, T, part(1), x="x"), write(A, T, part(1), x="y")], {"a.y>t.x"}, id="the same partition"),
        pytest.param(
            [write(A, T, part(1), x="x"), write(A, T, part(2), x="x"), write(A, T, part(1), x="y")],
            {"a.x>t.x", "a.y>t.x"},
            id="another partition has it",
        ),
        pytest.param(
            [write(A, T, part(1), x="x"), write(A, T, part(2), x="y"), write(B, T, part(1), x="x")],
            {"a.y>t.x", "b.x>t.x"},
            id="a partition replaced by another flow",
        ),
        pytest.param([write(A, T, x="x"), write(A, T, x="y")], {"a.x>t.x", "a.y>t.x"}, id="append"),
    ],
)
def test_column_lineage_whose_rows_are_gone_goes(statements: list[Outcome], left: set[str]) -> None:
    server = Server()
    server.run(*statements)
    server.end()
    assert server.edges == left


def test_a_flow_that_is_written_again_is_never_deleted() -> None:
    """R17: it would stay in lineage twice."""
    server = Server()
    server.run(write(A, T, REPLACED), write(B, T), removed(T), write(B, T), write(A, T))
    server.end()
    assert server.deleted == []


def test_a_flow_of_an_earlier_run_goes() -> None:
    first = Server()
    first.run(write(A, T, REPLACED, x="x"))
    first.end()
    second = Server(first.remembered.flows.rows(), earlier=first.remembered)
    second.run(write(B, T, REPLACED))
    second.end()
    lineage, flow = second.deleted
    assert lineage.startswith(f"{flow.partition('@')[0]}:x:")
    assert first.names[flow]["typeName"] == "spark_process"


def test_an_obsolete_flow_of_a_driver_that_goes_on_is_deleted_after_a_day() -> None:
    server = Server()
    server.run(write(A, T), write(B, T, REPLACED))
    server.end(NOW + HOLD_MS - 1, everything=False)
    assert server.flows == {"a>t", "b>t"}
    server.end(NOW + HOLD_MS, everything=False)
    assert server.flows == {"b>t"}


def test_flows_that_alternate_are_deleted_a_few_times_only() -> None:
    flows: tuple[FlowRow, ...] = ()
    deleted = []
    for number in range(4 * MAX_DELETIONS):
        server = Server(flows)
        server.run(write((A, B)[number % 2], T, REPLACED))
        server.end()
        deleted += [name for name in server.deleted if name.count(":") == 2]
        flows = tuple(server.remembered.flows.rows())
    assert sorted(deleted.count(name) for name in set(deleted)) == [MAX_DELETIONS, MAX_DELETIONS]


def _purview(**settings: str) -> Server:
    account = Account(**settings)
    return Server(dialect=account.dialect, context=account.context)


def test_purview_keeps_a_flow_unless_deletes_are_enabled() -> None:
    kept, deleting = _purview(), _purview(purview__deletes="true")
    for server in (kept, deleting):
        server.run(write(A, T), removed(T), write(B, T))
        server.end()
    assert (len(kept._of("operation")), len(deleting._of("operation"))) == (2, 1)


@pytest.mark.parametrize(
    "statements",
    [
        pytest.param([write(A, T, x="x"), removed(T), write(A, T, x="y")], id="TRUNCATE and INSERT"),
        pytest.param([write(A, T, part(1), x="x"), write(A, T, part(1), x="y")], id="the same partition"),
    ],
)
def test_purviews_mapping_has_no_columns_whose_rows_are_gone(statements: list[Outcome]) -> None:
    server = _purview()
    server.run(*statements)
    (flow,) = server._of("operation")
    assert '{"Source":"y","Sink":"x"}' in flow["attributes"]["columnMapping"]
    assert '{"Source":"x","Sink":"x"}' not in flow["attributes"]["columnMapping"]


def test_a_table_replaced_from_itself_has_its_new_columns_only() -> None:
    """The former column is the source of the new one, so it is deleted after the message that refers to it."""
    server = Server()
    before, after = table("t", "x", "y", table_type="MANAGED"), table("t", "z", table_type="MANAGED")
    server.run(created(before), write(A, before, x="x"))
    server.statement(created(after), write(before, after, REPLACED, z="x"))
    server.end()
    columns = {name for name, each in server.names.items() if each["typeName"] == "spark_column"}
    assert {each for each in columns if each.startswith("sales.t.")} == {"sales.t.z@prod"}
    assert server.edges == {"a.x>t.x", "t.x>t.z"}
    assert [each for each in server.deleted if each.startswith("sales.t.")] == ["sales.t.y@prod", "sales.t.x@prod"]
