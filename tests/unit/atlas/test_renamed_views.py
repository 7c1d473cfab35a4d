"""Renamed views and tables: a server keeps the definitions of existing views only."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import Message, messages
from sac_kafka.hook.recording import Recording, replay
from sac_kafka.model import (
    Database,
    DatabaseDropped,
    Outcome,
    Process,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.settings import Settings
from sac_kafka.stages.definitions import ViewDefinitions
from tests.cases.batches import BATCHES
from tests.helpers.every_row import every_row
from tests.unit.atlas.flows import APPLICATION, CONTEXT, DAY, NOW, copy, table

A, B = table("a", "id", table_type="MANAGED"), table("b", "id", table_type="MANAGED")


class Server:
    """A server that received every message: the type and name of each entity it has."""

    def __init__(self) -> None:
        self.entities: set[tuple[str, str]] = set()

    def take(self, sent: Iterable[Message]) -> None:
        for message in sent:
            body = json.loads(message.value)["message"]
            match body["type"]:
                case "ENTITY_DELETE_V2":
                    self.entities -= {(e["typeName"], _name(e["uniqueAttributes"])) for e in body["entities"]}
                case "ENTITY_PARTIAL_UPDATE_V2":
                    of, to = body["entityId"], body["entity"]["entity"]["attributes"]
                    old = (of["typeName"], _name(of["uniqueAttributes"]))
                    assert old in self.entities
                    self.entities = (self.entities - {old}) | {(old[0], to.get("qualifiedName", old[1]))}
                case _:
                    self.entities |= {(e["typeName"], _name(e["attributes"])) for e in body["entities"]["entities"]}

    def definitions(self) -> set[str]:
        """Return the names of the views that have a definition."""
        return {name.split(":")[1] for type_name, name in self.entities if type_name == "spark_process"}

    def tables(self) -> set[str]:
        return {name for type_name, name in self.entities if type_name == "spark_table"}


def _name(attributes: dict[str, str]) -> str:
    return attributes["qualifiedName"]


def _view(name: str) -> TableDataset:
    return table(name, "id", table_type="VIEW")


def _made(name: str, of: TableDataset = A) -> tuple[Outcome, ...]:
    """Return the outcomes of CREATE VIEW."""
    view = _view(name)
    return TableDefined(table=view), dataclasses.replace(copy(of, view), defines_view=True)


def _renamed(old: str, new: TableDataset) -> Outcome:
    return TableRenamed(old=table(old), new=new)


def _server_after(
    *outcomes: Outcome,
    remembered: Remembered,
    server: Server | None = None,
    views: ViewDefinitions | None = None,
    confirms: bool = True,
) -> Server:
    server, views = server or Server(), views or ViewDefinitions()

    def send(outcome: Outcome) -> None:
        sent = messages(outcome, context=CONTEXT, remembered=remembered, now_ms=NOW)
        server.take(sent)
        for message in sent:
            if confirms:
                remembered.confirm(message.tokens, NOW, remembered.epoch)
            else:  # kept until the server can be reached, and then sent in this order
                remembered.forget(message.tokens)

    for outcome in outcomes:
        send(outcome)
        if isinstance(outcome, Process):
            views.remember(outcome)
        else:
            for again in views.after(outcome):
                send(again)
                views.remember(again)
    return server


X, W = _view("x"), _view("w")


@every_row("confirms", [True, False])
@every_row(
    ("then", "left"),
    [
        ([_renamed("v", W)], {"w"}),
        ([_renamed("v", W), TableDropped(table=W)], set()),
        ([_renamed("v", W), _renamed("w", _view("v"))], {"v"}),
        ([_renamed("v", W), _renamed("w", X)], {"x"}),
        ([_renamed("v", W), *_made("v", B)], {"v", "w"}),
        ([_renamed("v", W), *_made("v", B), TableDropped(table=_view("v"))], {"w"}),
        ([_renamed("v", W), *_made("v", B), TableDropped(table=W)], {"v"}),
        ([_renamed("v", W), *_made("v", B), TableDropped(table=W), _renamed("v", W)], {"w"}),
        ([_renamed("v", X), _renamed("b", table("v", "id"))], {"x"}),
        ([_renamed("v", X), _renamed("b", table("v", "id")), TableDropped(table=table("v"))], {"x"}),
        ([_renamed("v", W), TableDefined(table=table("v", "id", table_type="MANAGED"))], {"w"}),
        ([*_made("w", B), _renamed("v", X), _renamed("w", _view("v")), TableDropped(table=X)], {"v"}),
        ([_renamed("v", W), DatabaseDropped(database=Database(name="sales"))], set()),
    ],
)
def test_remaining_definitions(then: list[Outcome], left: set[str], confirms: bool) -> None:
    before = (TableDefined(table=A), TableDefined(table=B), *_made("v"))
    server = _server_after(*before, *then, remembered=Remembered(max_age_ms=DAY), confirms=confirms)
    assert server.definitions() == {f"sales.{name}" for name in left}
    assert server.definitions() <= {each.removesuffix("@prod") for each in server.tables()}
    lineage = {name.split(":")[1] for type_name, name in server.entities if type_name == "spark_column_lineage"}
    assert lineage == server.definitions()


@pytest.mark.parametrize("version", ["3.5.9", "4.3.0"])
@pytest.mark.parametrize("case", ["view_created", "view_redefined", "view_becomes_a_table"])
def test_nothing_remains_of_dropped_views_even_without_confirmations(case: str, version: str) -> None:
    server = Server()
    server.take(replay(Recording(APPLICATION, (BATCHES / version / f"{case}.txt").read_text("utf-8")), Settings()))
    views = {name.split(":")[1] for _, name in server.entities if name.startswith("view:")}
    assert server.entities and views <= {"cases.big_orders"}  # which all cases have


@pytest.mark.parametrize("is_trusted", [True, False])
def test_definition_of_an_earlier_run_is_deleted_when_the_view_is_renamed(is_trusted: bool) -> None:
    first = Remembered(max_age_ms=DAY)
    server = _server_after(TableDefined(table=A), *_made("v"), remembered=first)
    second = Remembered(max_age_ms=DAY, earlier=first.changed_groups)
    if is_trusted:
        second.trust_earlier()
    _server_after(_renamed("v", W), remembered=second, server=server)
    assert server.definitions() == set()
    _server_after(_made("w")[1], TableDropped(table=_view("v")), remembered=second, server=server)
    assert server.definitions() == {"sales.w"}
    _server_after(TableDropped(table=W), remembered=second, server=server)
    assert server.definitions() == set()


@pytest.mark.parametrize(
    "change",
    [
        TableDropped(table=A),
        _renamed("a", table("c", "id", table_type="MANAGED")),
        TableDefined(table=table("a", "other", table_type="MANAGED")),
        DatabaseDropped(database=Database(name="sales")),
    ],
)
def test_lost_columns_of_a_view_are_not_sent_again(change: Outcome) -> None:
    views = ViewDefinitions()
    _server_after(*_made("v"), change, remembered=Remembered(max_age_ms=DAY), views=views)
    assert not isinstance(change, Process)
    assert list(views.after(TableRenamed(old=table("v"), new=W))) == []
