"""Many ways in which rows go through the driver's Python: what is an input, what may be one, and what is neither.

The table is tried on a Spark, and, as far as that goes, with tables in memory (`MemoryTables`).
"""

from __future__ import annotations

import datetime
import itertools
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from sac_kafka.spark.calls.constants import constants_of_callers
from sac_kafka.spark.calls.driver_values import names_of_schema
from sac_kafka.spark.calls.reads import RowsInDriver

pandas: Any = pytest.importorskip("pandas")
numpy: Any = pytest.importorskip("numpy")
pyarrow: Any = pytest.importorskip("pyarrow")
pyspark_sql: Any = pytest.importorskip("pyspark.sql")

CUSTOMERS, ORDERS, MANY, MORE = "customers", "orders", "many", "more"
TABLES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    CUSTOMERS: ("key int, name string, rank int", [(1, "ada", 3), (2, "bob", 5), (3, "cyd", 4)]),
    ORDERS: ("customer int, quantity int, note string", [(1, 11, "one"), (2, 12, "two"), (2, 14, "more")]),
    MANY: ("id int, text string", [(i, f"{i} of many") for i in range(3_000)]),
    MORE: ("id int, text string", [(i, f"{i} of more") for i in range(3_000)]),
}
"""Tables of small numbers: `customers` has the keys of `orders`. The other two are longer than what is looked at."""
ROWS = [(7, "zz"), (8, "yy")]


class Defaults:
    """Constants in a class."""

    rows = (("zz", 7), ["yy", 8])


@dataclass(frozen=True)
class Tables:
    """The tables, as a session of `spark` has them."""

    spark: Any

    def table(self, name: str) -> Any:
        return self.spark.table(name)

    @property
    def customers(self) -> Any:
        return self.spark.table(CUSTOMERS)

    @property
    def orders(self) -> Any:
        return self.spark.table(ORDERS)

    def both(self) -> tuple[Any, Any]:
        return self.customers.toPandas(), self.orders.toPandas()

    def merged(self) -> Any:
        customers, orders = self.both()
        return orders.merge(customers, left_on="customer", right_on="key")

    def make(self, data: Any, schema: Any = None) -> Any:
        return self.spark.createDataFrame(data, schema)


Made = Callable[[Tables], Any]


@dataclass(frozen=True)
class Truth:
    """A way, the tables that are inputs of what it makes, and those that may be; `needs_spark`: more than tables in memory."""

    name: str
    made: Made
    inputs: set[str] = field(default_factory=set)
    in_question: set[str] = field(default_factory=set)
    needs_spark: bool = False


def _after(read: Callable[[Tables], object], made: Made) -> Made:
    def run(t: Tables) -> Any:
        read(t)
        return made(t)

    return run


def _described(t: Tables) -> object:
    return t.customers.toPandas().describe()


def _constants(t: Tables) -> Any:
    return t.make([(7, "zz")], ["id", "name"])


READS: dict[str, Callable[[Tables], object]] = {
    "describe": _described,
    "len": lambda t: len(t.customers.collect()),
    "count": lambda t: t.customers.count(),
    "first": lambda t: t.customers.first(),
    "take": lambda t: t.customers.take(1),
    "tail": lambda t: t.customers.tail(1),
    "an iterator": lambda t: list(t.customers.toLocalIterator()),
    "two tables": lambda t: t.both(),
}
READS_OF_SPARK: dict[str, Callable[[Tables], object]] = {
    "an RDD": lambda t: t.customers.rdd.map(lambda row: row.name).collect(),
    "a sum": lambda t: t.customers.agg({"key": "sum"}).first()[0],
    "the pandas API": lambda t: t.customers.pandas_api().to_pandas(),
    "show": lambda t: t.customers.show(),
}
"""Looks at tables, after which constants are written."""


def _of_a_default(t: Tables, rows: Any = ((7, "zz"), (8, "yy"))) -> Any:
    return t.make(rows, ["id", "name"])


def _of_a_keyword_default(t: Tables, *, rows: Any = ({"id": 7, "name": "zz"},)) -> Any:
    return t.make(list(rows))


CONSTANTS: dict[str, Made] = {
    "a tuple": _constants,
    "tuples": lambda t: t.make([(7, "zz"), (8, "yy"), (9, "xx")]),
    "a tuple of tuples": lambda t: t.make(((7, "zz"), (8, "yy"))),
    "of the module": lambda t: t.make(ROWS),
    "of a class": lambda t: t.make(list(Defaults.rows)),
    "a default": _of_a_default,
    "a default that is named": _of_a_keyword_default,
    "dicts": lambda t: t.make([{"id": 7, "name": "zz"}]),
    "small dicts": lambda t: t.make([{"id": 7, "flag": 0}]),
    "lists": lambda t: t.make([[7, "zz"], [8, "yy"]], ["id", "name"]),
    "rows": lambda t: t.make([pyspark_sql.Row(id=7, name="zz")]),
    "numbers": lambda t: t.make([7, 8, 9], "int"),
    "a long number": lambda t: t.make([(name, 4_711_000) for name in ("zz", "yy")]),
    "a number and a variable": lambda t: next(t.make([(7, name)]) for name in ("zz",)),
    "nested": lambda t: t.make([(7, ["zz", "yy"], {"k": "xx"})], "a int, b array<string>, c map<string, string>"),
    "dates": lambda t: t.make([(1, datetime.date(2026, 2, 3), datetime.datetime(2026, 2, 3, 4, 5))]),
    "an empty list": lambda t: t.make([], "id int"),
    "a frame by columns": lambda t: t.make(pandas.DataFrame({"id": [7, 8], "name": ["zz", "yy"]})),
    "a frame by rows": lambda t: t.make(pandas.DataFrame([(7, "zz"), (8, "yy")], columns=["id", "name"])),
    "a frame by dicts": lambda t: t.make(pandas.DataFrame([{"id": 7, "name": "zz"}])),
    "a frame of one value": lambda t: t.make(pandas.DataFrame({"id": [7, 8], "flag": 0, "name": "zz"})),
    "a frame with the table's names": lambda t: t.make(pandas.DataFrame({"key": [70], "name": ["zz"], "rank": [80]})),
    "an array": lambda t: t.make(numpy.array([[7, 8], [9, 10]]), ["a", "b"]),
}
CONSTANTS_OF_SPARK: dict[str, Made] = {
    "parallelized": lambda t: t.spark.sparkContext.parallelize([(7, "zz")]).toDF(["id", "name"]),
    "a range": lambda t: t.spark.range(7),
    "values": lambda t: t.spark.sql("select * from values (7, 'zz')"),
    "values of a row": lambda t: t.spark.sql(f"select * from values ({t.customers.first().key}, 'zz')"),
}
"""Constants that are written after a look at `customers`."""

ONE: dict[str, Made] = {
    "rows": lambda t: t.make(t.customers.collect()),
    "a row": lambda t: t.make([t.customers.first()]),
    "a text": lambda t: t.make([(t.customers.head().name,)], ["a"]),
    "of an iterator": lambda t: t.make([(row.name, row.rank) for row in t.customers.toLocalIterator()], ["a", "b"]),
    "a comprehension": lambda t: t.make([(row.name, row.key) for row in t.customers.collect()], ["a", "b"]),
    "with a constant": lambda t: t.make([(row.name, 1, "x") for row in t.customers.take(2)], ["a", "b", "c"]),
    "small numbers": lambda t: t.make([(row.key,) for row in t.customers.collect()], ["key"]),
    "dicts": lambda t: t.make([row.asDict() for row in t.customers.collect()]),
    "values of a dict": lambda t: t.make({row.name: row.key for row in t.customers.collect()}.items(), ["a", "b"]),
    "changed rows": lambda t: t.make([pyspark_sql.Row(**{**row.asDict(), "key": 0}) for row in t.customers.collect()]),
    "tuples of a frame": lambda t: t.make(list(t.customers.toPandas().itertuples(index=False)), ["a", "b", "c"]),
    "dicts of a frame": lambda t: t.make(t.customers.toPandas().to_dict("records")),
    "a frame": lambda t: t.make(t.customers.toPandas()),
    "a part": lambda t: t.make(t.customers.toPandas().query("key > 1")),
    "a column": lambda t: t.make(t.customers.toPandas()[["key"]] * 1),
    "computed columns": lambda t: t.make(t.customers.toPandas()[["key", "rank"]] * 1.5),
    "an array": lambda t: t.make(t.customers.toPandas()[["name"]].to_numpy(), ["a"]),
    "records of an array": lambda t: t.make(t.customers.toPandas().to_records(index=False).tolist(), ["a", "b", "c"]),
}
ONE_OF_SPARK: dict[str, Made] = {
    "parallelized": lambda t: t.spark.sparkContext.parallelize(t.customers.collect()).toDF(),
    "the pandas API": lambda t: t.make(t.customers.pandas_api().to_pandas()[["name"]]),
    "of an RDD": lambda t: t.make(t.customers.rdd.map(lambda row: (row.name, row.key)).collect(), ["a", "b"]),
    "an RDD": lambda t: t.make(t.customers.rdd.map(lambda row: (row.name, row.key)), ["a", "b"]),
    "a condition": lambda t: t.customers.where(f"rank > {t.table(MANY).first().id}"),
    "a broadcast": lambda t: (t.spark.sparkContext.broadcast(t.table(MANY).take(2)), t.customers)[1],
}
"""Rows of `customers`, which is the input."""

TWO: dict[str, Made] = {
    "numbers": lambda t: t.make(t.merged()[["rank", "quantity"]]),
    "a text and a number": lambda t: t.make(t.merged()[["name", "quantity"]]),
    "a number and a text": lambda t: t.make(t.merged()[["rank", "note"]]),
    "computed": lambda t: t.make(t.merged()[["name", "quantity"]].assign(quantity=lambda f: f.quantity * 1.19)),
    "all": lambda t: t.make(t.merged()),
    "joined": lambda t: t.make(t.both()[0].set_index("key").join(t.both()[1].set_index("customer"))[["rank", "note"]]),
    "concatenated": lambda t: t.make(pandas.concat([t.both()[0][["rank"]], t.both()[1][["quantity"]]], axis=1)),
    "with an outer key": lambda t: t.make(
        t.both()[0].merge(t.both()[1], left_on="key", right_on="customer", how="outer")[["key", "quantity"]]
    ),
    "assigned": lambda t: t.make(t.both()[0].assign(quantity=t.both()[1].quantity)),
    "looked up": lambda t: t.make(
        [
            (names[row.customer], row.note)
            for names in [{row.key: row.name for row in t.customers.collect()}]
            for row in t.orders.collect()
        ],
        ["a", "b"],
    ),
}
"""Rows of `customers` and `orders`, which are the inputs."""


def _set_in_place(t: Tables) -> Any:
    customers, orders = t.both()
    customers["quantity"] = orders.quantity
    return t.make(customers)


def _concatenated(t: Tables) -> Any:
    return t.make(pandas.concat([t.table(name).toPandas() for name in (MANY, MORE)]))


def _of_the_end(t: Tables) -> Any:
    return t.make([*t.table(MANY).collect(), *t.table(MORE).collect()])


OTHERS = [
    Truth("a frame that is changed in place", _set_in_place, {CUSTOMERS, ORDERS}),
    Truth("long frames", _concatenated, {MANY, MORE}),
    Truth("long lists", _of_the_end, {MANY, MORE}),
    Truth("a large count", lambda t: t.make([("n", t.table(MANY).count())], ["a", "b"]), {MANY}),
    Truth(
        "a computed number",
        lambda t: t.make([(sum(r.key for r in t.customers.collect()) * 1.5,)], ["a"]),
        set(),
        {CUSTOMERS},
    ),
    Truth("a length", lambda t: t.make([("customers", len(t.customers.collect()))], ["a", "b"]), set(), {CUSTOMERS}),
    Truth("a small count", lambda t: t.make([("customers", t.customers.count())], ["a", "b"]), set(), {CUSTOMERS}),
    Truth("a text with it", lambda t: t.make([(f"<{t.customers.first().name}>",)], ["a"]), set(), {CUSTOMERS}),
    Truth(
        "the time",
        _after(_described, lambda t: t.make([(datetime.datetime.now(),)], ["a"])),
        set(),
        {CUSTOMERS},
    ),
    Truth("an iterator", _after(_described, lambda t: t.make(iter([(7, "zz")]), ["a", "b"])), set(), {CUSTOMERS}),
    Truth("numbers that it has, too", _after(_described, lambda t: t.make([1, 2, 3], "int")), set(), {CUSTOMERS}),
    Truth(
        "renamed numbers",
        lambda t: t.make(t.merged()[["name", "quantity"]].rename(columns={"quantity": "n"})),
        {CUSTOMERS},
        {ORDERS},
    ),
    Truth(
        "renamed and computed",
        lambda t: t.make(t.merged()[["name", "quantity"]].eval("n = quantity * 1.19")[["name", "n"]]),
        {CUSTOMERS},
        {ORDERS},
    ),
    Truth(
        "numbers that are looked up",
        lambda t: t.make(
            [
                (names[row.customer], row.quantity)
                for names in [{row.key: row.name for row in t.customers.collect()}]
                for row in t.orders.collect()
            ],
            ["a", "b"],
        ),
        {CUSTOMERS},
        {ORDERS},
    ),
]


def truths() -> Iterator[Truth]:
    """Yield all ways."""
    for reads, needs_spark in ((READS, False), (READS_OF_SPARK, True)):
        for name, read in reads.items():
            yield Truth(f"constants after {name}", _after(read, _constants), needs_spark=needs_spark)
    for ways, needs_spark in ((CONSTANTS, False), (CONSTANTS_OF_SPARK, True)):
        for name, made in ways.items():
            yield Truth(f"constants: {name}", _after(_described, made), needs_spark=needs_spark)
    for ways, needs_spark in ((ONE, False), (ONE_OF_SPARK, True)):
        for name, made in ways.items():
            after = _after(lambda t: t.orders.collect(), made)
            yield Truth(f"one: {name}", made, {CUSTOMERS}, needs_spark=needs_spark)
            yield Truth(f"one after another: {name}", after, {CUSTOMERS}, needs_spark=needs_spark)
    for name, made in TWO.items():
        yield Truth(f"two: {name}", made, {CUSTOMERS, ORDERS})
    yield from OTHERS


# ---- without a Spark


class _Session:
    class _jsparkSession:  # noqa: N801 as PySpark's
        equals = staticmethod(lambda _: True)


SESSION = _Session()


@dataclass(eq=False)
class _MemoryTable:
    """A table whose methods return new objects for its values, as Spark does, and are noted as reads."""

    driver: MemoryTables
    name: str

    @property
    def _names(self) -> tuple[str, ...]:
        return names_of_schema(TABLES[self.name][0])

    def _rows(self, given: Callable[[list[Any]], Any]) -> Any:
        return self.driver.noted(self, given(pickle.loads(pickle.dumps(TABLES[self.name][1]))))

    def collect(self) -> Any:
        return self._rows(lambda rows: [pyspark_sql.Row(**dict(zip(self._names, row, strict=True))) for row in rows])

    def take(self, count: int) -> Any:
        return self.collect()[:count]

    def tail(self, count: int) -> Any:
        return self.collect()[-count:]

    def first(self) -> Any:
        return self.collect()[0]

    head = first

    def toLocalIterator(self) -> Any:  # noqa: N802 as PySpark's, and the next
        return iter(self.collect())

    def toPandas(self) -> Any:  # noqa: N802
        return self._rows(lambda rows: pandas.DataFrame(rows, columns=list(self._names)))

    def count(self) -> Any:
        return self._rows(len)


class MemoryTables:
    """Stands for a session: tables are read from memory, and what is made has the tables that are inputs, or may be."""

    def __init__(self) -> None:
        self._rows = RowsInDriver(itertools.count())
        self._tables: dict[int, str] = {}
        self._read: list[_MemoryTable] = []

    def table(self, name: str) -> _MemoryTable:
        return _MemoryTable(self, name)

    def noted(self, table: _MemoryTable, given: Any) -> Any:
        number = self._rows.add(table, SESSION, given)
        assert number is not None
        self._tables[number] = table.name
        self._read.append(table)
        return given

    def createDataFrame(self, data: Any, schema: Any) -> tuple[set[str], set[str]]:  # noqa: N802 as PySpark's
        made = self._rows.made_of(data, SESSION, constants_of_callers, names_of_schema(schema))
        inputs, in_question = set(), {self._tables[number] for number in made.in_question}
        for use in made.uses:
            alike = {self._tables[number] for number in (use.read, *use.alike)}
            (inputs if len(alike) == 1 else in_question).update(alike)
        return inputs, in_question - inputs
