"""Reads of which rows of the driver were made: by their values, in the thread and session that read them."""

from __future__ import annotations

import datetime
import decimal
import gc
import itertools
import pickle
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sac_kafka.spark.calls.constants import Constants, constants_of_callers
from sac_kafka.spark.calls.evidence import NAMES, VALUES
from sac_kafka.spark.calls.reads import MAX_READS, WHOLE, RowsInDriver, RowsMade, RowsUsed
from sac_kafka.spark.calls.statements import is_strong, meanings, spoken
from sac_kafka.spark.calls.values import (
    MAX_OBJECT_LENGTH,
    MAX_OBJECTS,
    MAX_PROVED,
    MAX_VALUES,
    has_rows,
    noting,
    proofs,
    seen,
)
from tests.helpers.work import TOLERANCE, steps

pandas = pytest.importorskip("pandas")
numpy = pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")


class Session:
    def __init__(self, jvm: str = "one") -> None:
        self._jsparkSession = _JvmSession(jvm)


class _JvmSession(str):
    def equals(self, other: object) -> bool:
        return self == other


class Query:
    pass


SESSION = Session()


class Driver:
    """Reads of one session; queries are kept alive as in a notebook."""

    def __init__(self) -> None:
        self.rows = RowsInDriver(itertools.count())
        self.queries: list[Query] = []

    def read(self, given: Any, session: Session = SESSION) -> int:
        self.queries.append(Query())
        number = self.rows.add(self.queries[-1], session, given)
        assert number is not None
        return number

    def made(self, data: Any, session: Session = SESSION) -> RowsMade:
        return self.rows.made_of(data, session)

    def uses(self, data: Any, session: Session = SESSION) -> list[tuple[int, str]]:
        return [(use.read, use.how) for use in self.made(data, session).uses]


@pytest.fixture
def driver() -> Driver:
    return Driver()


REGIONS = [(1, "north", 10.5), (2, "south", 20.5)]
SALES = [(7, "north", 990_001), (8, "south", 990_002)]


def test_rows_are_of_the_read_that_has_their_values(driver: Driver) -> None:
    regions, sales = driver.read(REGIONS), driver.read(SALES)
    assert driver.uses([(1, "north", 10.5)]) == [(regions, VALUES)]
    assert driver.uses([("x", 990_001)]) == [(sales, VALUES)]
    assert driver.uses([{"amount": 20.5}]) == [(regions, VALUES)]
    assert driver.uses([[("deep", 990_002)]]) == [(sales, VALUES)]


@pytest.mark.parametrize("amount", [7, 990_003], ids=["of everything", "of the read alone"])
def test_transposed_frame_belongs_to_the_read_with_its_names(driver: Driver, amount: int) -> None:
    driver.read([("amount", 5)])
    sales = driver.read(pandas.DataFrame([("north", 1, amount)], columns=["region", "id", "amount"]))
    config = driver.read([("amount", 5)])
    turned = driver.queries and pandas.DataFrame([("region", "north"), ("id", 1), ("amount", amount)])
    assert driver.made(turned) == RowsMade((RowsUsed(sales, VALUES),))
    assert driver.uses([("amount", 5)]) == [(config, VALUES)]


def test_a_read_that_has_some_of_the_values_too_is_not_used(driver: Driver) -> None:
    regions, sales = driver.read(REGIONS), driver.read(SALES)
    # "north" is in both: rows of the regions alone are recognised by the amount, rows of both by the last read
    assert driver.uses([("north", 10.5)]) == [(regions, VALUES)]
    assert driver.uses([("north",)]) == [(sales, VALUES)]
    assert sorted(driver.uses([("north", 10.5, 990_001)])) == [(regions, VALUES), (sales, VALUES)]


def test_common_values_are_no_evidence(driver: Driver) -> None:
    ids = driver.read([(1,), (2,), (3,)])
    for common in ([(n,) for n in range(1, 3)], [(len(REGIONS) * 1.0,)], [(len(REGIONS), 4)]):
        found = driver.made(common)
        assert found.uses == ()
        assert ids in found.in_question


def test_rows_that_show_nothing_may_be_of_every_read(driver: Driver) -> None:
    assert driver.made([("total", 1_980_003)]) == RowsMade()
    regions, sales = driver.read(REGIONS), driver.read(SALES)
    assert driver.made([("total", 1_980_003)]) == RowsMade((), (regions, sales))


@pytest.mark.slow
def test_empty_rows_have_no_reads(driver: Driver) -> None:
    driver.read(REGIONS)
    driver.read(pandas.DataFrame({"id": [1]}))  # and gone
    gc.collect()
    for nothing in (None, [], (), pandas.DataFrame({"id": []}), numpy.array([])):
        assert driver.uses(nothing) == []
    assert not has_rows([])
    assert has_rows(iter(()))


def test_iterators_are_not_consumed(driver: Driver) -> None:
    number = driver.read(REGIONS)
    rows = iter([(1, 2)])
    assert driver.made(rows) == RowsMade((), (number,))
    assert list(rows) == [(1, 2)]
    assert driver.made(object()) == RowsMade((), (number,))


def test_given_iterator_is_unchanged(driver: Driver) -> None:
    rows = iter(REGIONS)
    number = driver.read(rows)
    assert driver.made([(70,)]) == RowsMade((), (number,))
    assert list(rows) == REGIONS


def test_returned_frame_keeps_its_unchanged_columns(driver: Driver) -> None:
    frame = pandas.DataFrame(REGIONS, columns=["id", "name", "amount"])
    number = driver.read(frame)
    assert driver.made(frame).uses == (RowsUsed(number, WHOLE, (0, 1, 2)),)
    frame.insert(0, "new", 1)
    frame["amount"] = frame.amount * 2
    frame.loc[1, "name"] = "elsewhere"
    assert driver.made(frame).uses == (RowsUsed(number, WHOLE, (None, 0, None, None)),)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.sort_values("id", ascending=False, inplace=True),
        lambda f: f.drop(0, inplace=True),
        lambda f: f.rename(columns={"id": "name", "name": "id"}, inplace=True),
        lambda f: f["id"].to_numpy().__setitem__(0, 5) or f["name"].to_numpy().__setitem__(0, "x"),
    ],
    ids=["sorted", "row dropped", "names swapped", "in its arrays"],
)
def test_frame_that_was_changed_in_place_has_no_read(driver: Driver, change: Callable[[Any], object]) -> None:
    frame = pandas.DataFrame({"id": [1, 2], "name": ["a", "b"]})
    number = driver.read(frame)
    change(frame)
    assert driver.made(frame).uses == (RowsUsed(number, WHOLE, (None, None)),)


def test_columns_without_proof_are_not_carried(driver: Driver) -> None:
    class Odd:
        __hash__ = None  # type: ignore[assignment]

    frame = pandas.DataFrame(
        {"id": [1], "list": [[1]], "odd": [Odd()], "day": [datetime.date(2026, 1, 1)], "none": [None]}
    )
    number = driver.read(frame)
    assert driver.made(frame).uses == (RowsUsed(number, WHOLE, (0, None, None, 3, 4)),)
    twice = pandas.DataFrame([[1, 2]], columns=["id", "id"])
    other = driver.read(twice)
    assert driver.made(twice).uses == (RowsUsed(other, WHOLE, (None, None)),)
    assert proofs(pandas.DataFrame({"n": range(MAX_PROVED + 1)})) == {}


@pytest.mark.slow
def test_a_frame_that_was_derived_shows_by_values_or_names(driver: Driver) -> None:
    frame = pandas.DataFrame(REGIONS, columns=["id", "name", "amount"])
    number = driver.read(frame)
    assert driver.uses(frame[frame.amount > 15]) == [(number, VALUES)]
    assert driver.uses(frame.copy()) == [(number, VALUES)]
    assert driver.uses(frame[["amount"]].to_numpy()) == [(number, VALUES)]
    assert driver.uses(pandas.DataFrame({"id": [70], "scaled": [0.25]})) == [(number, NAMES)]
    assert driver.uses(pandas.DataFrame({"id": [70], "x": [0.25], "y": [0.25]})) == []
    del frame
    gc.collect()
    assert driver.uses([("north", 10.5)]) == [(number, VALUES)]


def test_a_table_of_arrow_never_changes(driver: Driver) -> None:
    table = pyarrow.table({"id": [1], "name": ["north"]})
    number = driver.read(table)
    assert driver.made(table).uses == (RowsUsed(number, WHOLE, (0, 1)),)
    assert driver.uses(table.select(["name"])) == [(number, VALUES)]


@pytest.mark.slow
def test_frames_and_queries_are_not_kept_alive(driver: Driver) -> None:
    frame = pandas.DataFrame(REGIONS, columns=["id", "name", "amount"])
    driver.read(frame)
    gone, query = weakref.ref(frame), weakref.ref(driver.queries.pop())
    del frame
    gc.collect()
    assert gone() is None
    assert query() is None


def test_a_query_that_is_read_again_keeps_its_number(driver: Driver) -> None:
    query = Query()
    assert driver.rows.add(query, SESSION, REGIONS) == 0
    assert driver.rows.add(query, SESSION, SALES) is None
    assert driver.uses([("x", 990_001)]) == [(0, VALUES)]
    assert driver.made([("x", 10.5)]) == RowsMade((), (0,))


def test_only_the_last_reads_are_remembered(driver: Driver) -> None:
    for i in range(MAX_READS + 1):
        driver.read([(f"value {i}",)])
    assert driver.uses([("value 0",)]) == []
    assert driver.uses([("value 1",)]) == [(1, VALUES)]


def test_threads_do_not_see_each_others_reads(driver: Driver) -> None:
    driver.read(REGIONS)
    meet = threading.Barrier(2)

    def work(rows: list[tuple[object, ...]]) -> list[list[tuple[int, str]]]:
        number = driver.read(rows)
        meet.wait(60)
        assert number
        return [driver.uses(REGIONS), driver.uses(rows)]

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(work, ([("one",)], [("two",)]))
    for of_others, of_own in (one, two):
        assert of_others == []
        assert [how for _, how in of_own] == [VALUES]
    assert {one[1][0][0], two[1][0][0]} == {1, 2}


def test_a_frame_of_another_thread_is_known_by_itself_alone(driver: Driver) -> None:
    frame = pandas.DataFrame(REGIONS, columns=["id", "name", "amount"])
    with ThreadPoolExecutor(1) as pool:
        number = pool.submit(driver.read, frame).result()
    assert driver.uses(frame) == [(number, WHOLE)]
    assert driver.uses(frame, Session("two")) == []
    assert driver.uses(frame.copy()) == []


def test_rows_of_an_rdd_are_known_by_their_values_alone(driver: Driver) -> None:
    number = driver.rows.add(Query(), SESSION, [("k", 990_001)])
    assert driver.uses([(990_001,)]) == [(number, VALUES)]
    assert driver.uses([(1.5,)]) == []


@pytest.mark.parametrize(
    ("data", "uses", "in_question"),
    [
        ([("north", 10.5)], [2], []),
        ([("north", 12.495)], [1, 2], [0]),
        ([("north", 10.5, 990_001)], [1, 2], []),
        ([("north", 10.5, 990_001.5)], [2], [0, 1]),
        ([(1.25,)], [], [0, 1, 2]),
        (iter([("north",)]), [], [0, 1, 2]),
        ([("north", 10.5, 999)], [2], [0, 1]),
    ],
    ids=[
        "all of one read",
        "computed",
        "of two reads",
        "computed next to two",
        "computed alone",
        "not looked at",
        "small",
    ],
)
def test_values_without_a_read_may_be_made_of_the_other_reads(
    driver: Driver, data: Any, uses: list[int], in_question: list[int]
) -> None:
    for rows in ([("y", "of another")], SALES, REGIONS):
        driver.read(rows)
    made = driver.made(data)
    proven = sorted(read for use in made.uses for read in (use.read, *use.alike))
    assert (proven, list(made.in_question)) == (uses, in_question)


def test_with_a_single_read_no_other_is_missing(driver: Driver) -> None:
    number = driver.read(REGIONS)
    assert driver.made([("north", 12.495)]) == RowsMade((RowsUsed(number, VALUES),))


@pytest.fixture
def far_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def fresh(value: Any) -> Any:
    """Return an equal value that is another object, as a constant of the program is."""
    return pickle.loads(pickle.dumps(value))


DAY, NAME, NUMBER, RATE = datetime.date(2026, 1, 1), fresh("EU"), 20_260_101, 0.5


@pytest.mark.parametrize("value", [DAY, NAME, NUMBER, RATE, decimal.Decimal("1.5"), b"ab", datetime.time(1)])
def test_parameter_that_is_the_identical_object_was_read_there(driver: Driver, value: object) -> None:
    read, _ = driver.read([(1, value)]), driver.read([(2, fresh(value))])
    for holding in ([value], [[{"deep": value}]]):
        assert driver.rows.found_in(seen(holding, is_strong), SESSION) == (read,)
    assert driver.rows.found_in(seen([fresh(value)], is_strong), SESSION) == ()


@pytest.mark.parametrize("value", [7, 999, 0, "E", "", True, None, b"x", b""])
def test_a_value_that_python_has_one_object_of_proves_nothing(driver: Driver, value: object) -> None:
    driver.read([(value,)])
    assert driver.rows.found_in(seen([value], is_strong), SESSION) == ()


def test_identity_of_an_object_counts_within_its_thread_and_session_before_equality(driver: Driver) -> None:
    strong = 1_764_112_341
    read, later = driver.read([(strong,)]), driver.read([(fresh(strong),)])
    assert driver.rows.found_in(seen([strong], is_strong), SESSION) == (read,)
    assert driver.rows.found_in(seen([fresh(strong)], is_strong), SESSION) == (later,)
    assert driver.rows.found_in(seen([NAME], is_strong), SESSION) == ()
    driver.read([(NAME,)], Session("two"))
    assert driver.rows.found_in(seen([NAME], is_strong), SESSION) == ()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(driver.rows.found_in, seen([strong], is_strong), SESSION).result() == ()


def test_few_objects_of_a_read_are_kept() -> None:
    assert len(seen([(f"short {i}",) for i in range(MAX_OBJECTS * 2)]).objects) == MAX_OBJECTS
    assert not seen([("x" * (MAX_OBJECT_LENGTH + 1),)]).objects
    rows, noted = iter_of([(NAME,), (DAY,)])
    assert not rows.objects
    assert len(list(noted)) == 2
    assert set(rows.objects) == {id(NAME), id(DAY)}


def iter_of(rows: list[Any]) -> tuple[Any, Any]:
    return noting((row for row in rows), lambda look: look)


@pytest.mark.usefixtures("far_away")
@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01 10:31:07",
        "2026-01-01T10:31:07.000",
        "2026-01-01 01:31:07Z",
        "2026-01-01 01:31:07 UTC",
        "2026-01-01T02:31:07+01:00",
        "2026-01-01 02:31:07+0100",
        "2026-01-01 02:31:07 Europe/Berlin",
        "2025-12-31 20:31:07",  # as the session has it
    ],
)
def test_times_in_texts_are_compared_as_instants(driver: Driver, text: str) -> None:
    read = driver.read([(datetime.datetime(2026, 1, 1, 10, 31, 7),)])
    zone = datetime.timezone(datetime.timedelta(hours=-5))
    values = seen(list(spoken(f"select * from t where at > '{text}'", lambda: zone)), is_strong)
    assert driver.rows.found_in(values, SESSION) == (read,)


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01",
        "2026-01-01 10:30",
        "2026-01-01 00:00:00.000000",
        "2026-01-01T00:00:00+00:00",
        "2026-01-01 00:00:00 UTC",
        "2026-13-01 10:31:07",
        "2026-01-01 10:31:07 No/Where",
    ],
)
def test_timestamp_as_text_is_no_strong_evidence(driver: Driver, text: str) -> None:
    driver.read([(text,)])
    assert driver.rows.found_in(seen(list(meanings(fresh(text))), is_strong), SESSION) == ()


def test_a_time_that_was_read_as_text_is_known_as_text(driver: Driver) -> None:
    read = driver.read([("2026-01-01 10:31:07",)])
    assert driver.rows.found_in(seen(list(meanings("2026-01-01 10:31:07")), is_strong), SESSION) == (read,)


@pytest.mark.usefixtures("far_away")
def test_a_timestamp_is_the_same_instant_in_every_zone() -> None:
    micros = 1_767_225_600_250_000  # 2026-01-01T00:00:00.25Z
    read = seen([(datetime.datetime(2026, 1, 1, 9, 0, 0, 250_000),)]).telling  # as PySpark returns it in Tokyo
    assert seen(list(meanings(f"\x01{micros}"))).telling == read
    aware = datetime.datetime(2026, 1, 1, 0, 0, 0, 250_000, tzinfo=datetime.timezone.utc)
    assert seen([(aware, pandas.Timestamp(aware))]).telling == read
    assert list(meanings(f"\x01{10**18}")) == []
    assert seen([(datetime.datetime.max.replace(tzinfo=datetime.timezone.min),)]).telling


def test_the_session_that_a_thread_has_worked_in_last_is_known(driver: Driver) -> None:
    other, seen_there = Session("two"), []
    assert driver.rows.session is None
    driver.read(REGIONS, other)
    assert driver.rows.session is other
    driver.rows.works_in(SESSION)
    assert driver.rows.session is SESSION
    thread = threading.Thread(target=lambda: seen_there.append(driver.rows.session))
    thread.start()
    thread.join()
    assert seen_there == [None]


def test_sessions_do_not_see_each_others_reads(driver: Driver) -> None:
    number = driver.read(REGIONS)
    assert driver.uses(REGIONS, Session("two")) == []
    assert driver.uses(REGIONS, Session("one")) == [(number, VALUES)]
    driver.read(SALES, Session("two"))
    assert driver.uses([("nothing",)]) == []


def test_only_some_values_are_looked_at() -> None:
    assert len(seen([(f"value {i}",) for i in range(10 * MAX_VALUES)]).telling) == MAX_VALUES
    frame = pandas.DataFrame({"a": [f"{i} a" for i in range(5000)], "b": [f"{i} b" for i in range(5000)]})
    assert len(seen(frame).telling) == MAX_VALUES


def test_the_same_value_is_known_in_other_clothes() -> None:
    day = datetime.datetime(2026, 11, 23, 1, 2, 3)
    whole = seen([(5000, decimal.Decimal("1.5"), day, "x")]).telling
    assert seen([(numpy.int64(5000),)]).telling <= whole
    assert seen(numpy.array([5000, 5000])).telling <= whole
    assert seen([(1.5,), (numpy.float32(1.5),)]).telling <= whole
    assert seen(pandas.DataFrame({"d": [day]})).telling <= whole
    assert len(whole) == 4


class Hostile(list):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[object]:
        raise RuntimeError("asked")

    def __hash__(self) -> int:  # type: ignore[override]
        raise RuntimeError("asked")


def test_methods_of_hostile_values_are_not_called() -> None:
    class Number(int):
        def __hash__(self) -> int:
            raise RuntimeError("asked")

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("asked")

    itself: list[object] = []
    itself.append(itself)
    nothing = [(float("nan"), float("inf"), decimal.Decimal("sNaN"), pandas.NaT, None, "", b"", object())]
    for data in (Hostile([Hostile()]), [Number(5000)], itself, nothing, [[[]] * 100] * 100):
        assert seen(data).telling == frozenset()


def _calls(number: int, constants: int) -> Callable[[], object]:
    """Return a call of so many functions, one within the other, each with so many constants."""
    source = []
    for n in range(number):
        texts = ", ".join(repr(f"constant {n} {i}") for i in range(constants))
        source.append(f"def f{n}(): return ({texts}), {f'f{n - 1}()' if n else 'found()'}")
    program: dict[str, Any] = {"__name__": "program", "found": constants_of_callers}
    exec(compile("\n".join(source), "program.py", "exec"), program)
    return program[f"f{number - 1}"]


@pytest.mark.slow
def test_the_constants_of_many_functions_are_a_bounded_part() -> None:
    few, many = steps(_calls(20, 3_000)), steps(_calls(60, 3_000))
    assert many < few * TOLERANCE


@pytest.mark.slow
def test_constants_of_the_nearest_functions_are_known() -> None:
    call: Any = _calls(60, 3_000)
    found = call()
    while not isinstance(found, Constants):
        found = found[-1]
    nearest, furthest = (call.__globals__[name].__code__.co_consts[1][7] for name in ("f0", "f59"))
    assert found.holds(nearest)
    assert not found.holds(furthest)


@pytest.mark.parametrize(("columns", "rows", "are_compared"), [(500, 99, True), (900, 100, False), (1, 100_000, True)])
def test_a_column_costs_as_much_as_some_values(columns: int, rows: int, are_compared: bool) -> None:
    frame = pandas.DataFrame({f"c{i}": range(rows) for i in range(columns)})
    assert len(proofs(frame)) == (columns if are_compared else 0)
