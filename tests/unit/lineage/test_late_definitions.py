"""Definitions that are looked up late: in the end a server has the state of the catalog, however far that has advanced."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from functools import partial

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.plan import wire
from sac_kafka.plan.catalog import (
    AlterTableEvent,
    CatalogDatabase,
    CatalogEvent,
    CatalogStorageFormat,
    CatalogTable,
    CreateTableEvent,
    DatabaseEvent,
    DropDatabaseEvent,
    DropTableEvent,
    RenameTableEvent,
    StructField,
    TableIdentifier,
)
from sac_kafka.settings import Settings
from tests.helpers.every_row import every_row
from tests.helpers.pipelines import Pipeline
from tests.helpers.seeds import seed
from tests.helpers.store import Store
from tests.helpers.workers import APPLICATION

DATABASES, NAMES = ("a", "b"), ("t1", "t2", "t3")
STEPS, LATEST = 20, 6
"""Statements of a sequence, and how many of them the listener may be behind."""

Columns = dict[str, str | None]
"""By name the comments of columns."""
Tables = dict[str, tuple[Columns, str | None]]
State = dict[str, Tables]
"""By database and name the columns and the comment of each table."""


def definition(state: State, database: str, name: str) -> CatalogTable | None:
    found = state.get(database, {}).get(name)
    if found is None:
        return None
    return CatalogTable(
        identifier=TableIdentifier(table=name, database=database, catalog=None),
        table_type="MANAGED",
        provider="parquet",
        owner="",
        create_time=0,
        comment=found[1],
        storage=CatalogStorageFormat(
            location=f"file:/w/{database}/{name}", input_format=None, output_format=None, serde=None, compressed=False
        ),
        fields=tuple(
            StructField(name=c, type="int", nullable=True, comment=comment) for c, comment in found[0].items()
        ),
        partition_column_names=(),
    )


class Catalog:
    """Random statements; for each event its time, and its contents in a state of the catalog."""

    def __init__(self, draw: random.Random) -> None:
        self.draw, self.statements = draw, list[str]()
        self.now: State = {}
        self.states: list[State] = [{}]
        self.events: list[tuple[int, Callable[[State], CatalogEvent]]] = []

    def step(self) -> None:
        there = [(database, name) for database in self.now for name in self.now[database]]
        does = [self.create, self.create, self.database]
        if there:
            does += [
                partial(each, *self.draw.choice(there)) for each in (self.alter, self.rename, self.drop, self.replace)
            ]
        if len(there) > 1:
            does.append(partial(self.drop_database, self.draw.choice(list(self.now))))
        self.draw.choice(does)()

    def post(self, statement: str, event: Callable[[State], CatalogEvent]) -> None:
        self.statements.append(statement)
        self.states.append(copy.deepcopy(self.now))
        self.events.append((len(self.states) - 1, event))

    def free(self, databases: tuple[str, ...]) -> tuple[str, str] | None:
        found = [(d, name) for d in databases for name in NAMES if name not in self.now[d]]
        return self.draw.choice(found) if found else None

    def database(self) -> None:
        name = self.draw.choice(DATABASES)
        if name not in self.now:
            self.now[name] = {}
            of = CatalogDatabase(name=name, description="", location=f"file:/w/{name}", properties={})
            self.post(
                f"create database {name}", lambda s: DatabaseEvent(database=name, definition=of if name in s else None)
            )

    def create(self) -> None:
        if (free := self.free(tuple(self.now))) is not None:
            self.make(*free, {"id": None, "name": "made"}, "made")

    def make(self, database: str, name: str, columns: Columns, comment: str | None) -> None:
        self.now[database][name] = (columns, comment)
        self.post(
            f"create {database}.{name}",
            lambda s: CreateTableEvent(database=database, name=name, definition=definition(s, database, name)),
        )

    def alter(self, database: str, name: str) -> None:
        columns, comment = self.now[database][name]
        comments = ["one", "two", None]
        match self.draw.randrange(3):
            case 0:
                columns = {**columns, f"c{len(self.states)}": None}
            case 1:
                columns = {**columns, self.draw.choice(list(columns)): self.draw.choice(comments)}
            case _:
                comment = self.draw.choice(comments)
        self.now[database][name] = (columns, comment)
        self.post(
            f"alter {database}.{name} {columns} {comment}",
            lambda s: AlterTableEvent(
                database=database, name=name, kind="table", definition=definition(s, database, name)
            ),
        )

    def rename(self, database: str, name: str) -> None:
        if (free := self.free((database,))) is None:
            return
        new = free[1]
        self.now[database][new] = self.now[database].pop(name)
        self.post(
            f"rename {database}.{name} {new}",
            lambda s: RenameTableEvent(
                database=database, name=name, new_name=new, definition=definition(s, database, new), is_looked_up=True
            ),
        )

    def drop(self, database: str, name: str) -> None:
        del self.now[database][name]
        self.post(f"drop {database}.{name}", lambda _: DropTableEvent(database=database, name=name, is_looked_up=True))

    def replace(self, database: str, name: str) -> None:
        self.drop(database, name)
        self.make(database, name, {"id": None}, None)

    def drop_database(self, name: str) -> None:
        del self.now[name]
        self.post(f"drop database {name}", lambda _: DropDatabaseEvent(database=name, is_looked_up=True))


def applied(catalog: Catalog) -> Store:
    """Return a server that has all messages, with each definition looked up in a possibly later state of the catalog."""
    settings = Settings.read({"atlas.metadata.namespace": "test"}, "test")
    pipeline = Pipeline(context_of(APPLICATION, settings.names, settings.content))
    store, at = Store(), 0
    for posted, event in catalog.events:
        at = max(at, min(posted + catalog.draw.randint(0, LATEST), len(catalog.states) - 1))
        line = wire.Projected(microseconds=0, event=event(catalog.states[at]), notes={})
        for step in pipeline.steps(line, 1):
            for message in pipeline.messages(step, 1):
                store.apply(pipeline.record(message).values)
    for step in pipeline.held():
        for message in pipeline.messages(step, 1):
            store.apply(pipeline.record(message).values)
    return store


@pytest.mark.slow
@every_row("number", range(60))
def test_server_has_the_state_of_the_catalog(number: int) -> None:
    catalog = Catalog(random.Random(seed(number)))
    for _ in range(STEPS):
        catalog.step()
    store = applied(catalog)
    shown = {
        name.removesuffix("@test"): (
            {each.attributes["name"]: each.attributes.get("comment") for each in store.children(table)},
            table.attributes.get("comment"),
        )
        for name, table in store.active("spark_table").items()
    }
    there = {f"{d}.{n}": of for d, tables in catalog.now.items() for n, of in tables.items()}
    assert shown == there, catalog.statements
    assert {name.removesuffix("@test") for name in store.active("spark_db")} == set(catalog.now), catalog.statements
