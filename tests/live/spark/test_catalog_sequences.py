"""Whatever happens to a catalog, in whatever order: a server that applies the messages has what Spark's catalog has."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

import sac_kafka
from tests.helpers.live_runs import session
from tests.helpers.store import Store
from tests.helpers.waiting import LONG_SECONDS

SEQUENCES = 10
STEPS = 20
DATABASES = ("seq_a", "seq_b")
NAMES = ("t1", "t2", "t3")

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple]:
    """Yield a session with the hook, and its messages."""
    work = tmp_path_factory.mktemp("sequences")
    spark = session(
        str(work),
        **{
            "spark.atlas.metadata.namespace": "seq",
            "spark.atlas.client.type": "memory",
            "spark.atlas.hook.spool.dir": str(work / "spool"),
        },
    )
    hook = sac_kafka.attach(spark)
    yield spark, hook
    hook.detach()
    spark.stop()


class Catalog:
    """Runs random steps on Spark's catalog, so that each can succeed."""

    def __init__(self, spark, seed: int) -> None:
        self.spark = spark
        self.external = spark._jsparkSession.sharedState().externalCatalog()
        self.random = random.Random(seed)
        self.statements: list[str] = []
        self.column = 0

    def step(self) -> None:
        names = self.tables()
        options = [self.create, self.create, self.database]
        if names:
            options += [
                self.insert,
                self.add_column,
                self.comment,
                self.properties,
                self.rename,
                self.drop,
                self.replace,
            ]
        if names and len(self.tables()) > 1:
            options += [self.view, self.drop_database]
        self.random.choice(options)()

    def run(self, statement: str) -> None:
        self.statements.append(statement)
        self.spark.sql(statement)

    def databases(self) -> list[str]:
        return [name for name in DATABASES if self.external.databaseExists(name)]

    def definitions(self) -> dict[str, object]:
        """Return Spark's CatalogTables by name; `spark.catalog.listTables` returns the same, but runs a query for it."""
        found = {}
        for database in self.databases():
            names = self.external.listTables(database)
            for name in sorted(names.apply(i) for i in range(names.size())):
                found[f"{database}.{name}"] = self.external.getTable(database, name)
        return found

    def tables(self, kind: str = "MANAGED") -> list[str]:
        return [name for name, each in self.definitions().items() if each.tableType().name() == kind]

    def shows(self) -> dict[str, tuple[list[str], str | None]]:
        """Table → its columns and comment."""
        return {
            name: (
                sorted(each.schema().fieldNames()),
                each.comment().get() or None if each.comment().isDefined() else None,
            )
            for name, each in self.definitions().items()
        }

    def free(self, database: str | None = None) -> str | None:
        taken = {*self.tables(), *self.tables("VIEW")}
        databases = [database] if database else self.databases()
        names = [f"{d}.{n}" for d in databases for n in NAMES if f"{d}.{n}" not in taken]
        return self.random.choice(names) if names else None

    def create(self) -> None:
        if (name := self.free()) is None:
            return self.database()
        source = self.random.choice([None, *self.tables()])
        columns = "id bigint, name string"
        query = f"using parquet as select * from {source}" if source else f"({columns}) using parquet comment 'made'"
        return self.run(f"create table {name} {query}")

    def database(self) -> None:
        self.run(f"create database if not exists {self.random.choice(DATABASES)} comment 'a database'")

    def insert(self) -> None:
        name = self.random.choice(self.tables())
        self.run(f"insert into {name} select * from {name} limit 1")

    def add_column(self) -> None:
        self.column += 1
        self.run(f"alter table {self.random.choice(self.tables())} add columns (c{self.column} int)")

    def comment(self) -> None:
        text = self.random.choice(["'one'", "'two'", "null"])
        self.run(f"comment on table {self.random.choice(self.tables())} is {text}")

    def properties(self) -> None:
        self.run(f"alter table {self.random.choice(self.tables())} set tblproperties ('k' = '{self.random.random()}')")

    def rename(self) -> None:
        name = self.random.choice(self.tables())
        if (new := self.free(name.partition(".")[0])) is not None:
            self.run(f"alter table {name} rename to {new}")

    def replace(self) -> None:
        name, source = self.random.choice(self.tables()), self.random.choice(self.tables())
        if name != source:
            self.statements.append(f"{source} saved as {name}")
            self.spark.table(source).select("id").write.mode("overwrite").saveAsTable(name)

    def view(self) -> None:
        if (name := self.free()) is not None:
            self.run(f"create view {name} as select id from {self.random.choice(self.tables())}")

    def drop(self) -> None:
        self.run(f"drop table {self.random.choice(self.tables())}")
        for view in self.tables("VIEW"):
            if self.random.random() < 0.5:
                self.run(f"drop view {view}")

    def drop_database(self) -> None:
        self.run(f"drop database {self.random.choice(self.databases())} cascade")


def _store_shows(store: Store) -> dict[str, tuple[list[str], str | None]]:
    return {
        name.removesuffix("@seq"): (
            sorted(child.attributes["name"] for child in store.children(table)),
            table.attributes.get("comment"),
        )
        for name, table in store.active("spark_table").items()
    }


def _sequence(live, seed: int) -> None:
    spark, hook = live
    store = Store()
    start = len(hook.transport.records)
    catalog = Catalog(spark, seed)
    try:
        for _ in range(STEPS):
            catalog.step()
            if catalog.random.random() < 0.2:
                assert hook.flush(LONG_SECONDS)
        assert hook.flush(LONG_SECONDS)
        shown_statements = f"seed {seed}:\n" + ";\n".join(catalog.statements)
        store.apply(value for record in hook.transport.records[start:] for value in record.values)
        shown = catalog.shows()
        assert _store_shows(store) == shown, shown_statements
        databases = {name.removesuffix("@seq") for name in store.active("spark_db")} & set(DATABASES)
        assert databases == set(catalog.databases()), shown_statements
        columns = store.active("spark_column")
        assert [n for n in columns if n.rpartition(".")[0] not in shown] == [], shown_statements
        assert not any(each.is_shell for each in store.all.values() if each.is_active), shown_statements
    finally:
        for database in catalog.databases():
            spark.sql(f"drop database {database} cascade")
        assert hook.flush(LONG_SECONDS)


@pytest.mark.parametrize("seed", range(int(os.environ.get("SAC_KAFKA_SEQUENCES", SEQUENCES))))
def test_the_store_equals_the_catalog(live, seed: int) -> None:
    _sequence(live, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1_000, 1_200))
def test_the_store_equals_the_catalog_after_many_statements(live, seed: int) -> None:
    _sequence(live, seed)
