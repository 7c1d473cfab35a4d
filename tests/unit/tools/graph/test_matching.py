"""Lookup of datasets and columns by the names that users type."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from sac_kafka.tools.graph.name_lookup import column_names, dataset_names, matches, similar_names
from sac_kafka.tools.messages.model import LineageColumn
from tests.helpers.work import Text, assert_linear

THERE = ("sales.orders", "hr.orders", "hdfs://nn/data/orders", "Sales.Ärger", "sales.orders_old")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("sales.orders", ["sales.orders"]),
        ("orders", ["sales.orders", "hr.orders", "hdfs://nn/data/orders"]),
        ("data/orders", ["hdfs://nn/data/orders"]),
        ("//nn/data/orders", ["hdfs://nn/data/orders"]),
        ("rders", []),
        ("SALES.ORDERS", ["sales.orders"]),
        ("ärger", ["Sales.Ärger"]),
        ("", []),
        ("sales", []),
    ],
)
def test_the_end_of_a_name_will_do(typed: str, meant: list[str]) -> None:
    assert list(matches(typed, THERE, dataset_names)) == meant


def test_column_follows_a_dot_or_a_hash() -> None:
    column, other = LineageColumn("file:/out", "a.b", "#"), LineageColumn("s.out", "a", ".")
    for typed in ("file:/out#a.b", "file:/out.a.b", "out.a.b", "out#a.b", "a.b"):
        assert matches(typed, [column, other], column_names) == (column,)
    assert matches("s.out#a", [column, other], column_names) == (other,)


@pytest.mark.parametrize("typed", ["s3a://lake/out/", "s3a://lake/out", "lake/out", "out", "out/", "OUT"])
def test_trailing_slash_of_a_folder_is_optional(typed: str) -> None:
    there = ("s3a://lake/out/", "gs://b/outer/", "s3a://lake/out/in/")
    assert matches(typed, there, dataset_names) == ("s3a://lake/out/",)


def test_a_column_of_such_a_folder() -> None:
    column, other = LineageColumn("s3a://lake/out/", "a", "#"), LineageColumn("s3a://lake/out/", "b", "#")
    for typed in ("s3a://lake/out/#a", "s3a://lake/out#a", "out.a", "out#a", "a"):
        assert matches(typed, [column, other], column_names) == (column,)


def test_similar_names() -> None:
    assert similar_names("x.orders", THERE) == ("hdfs://nn/data/orders", "hr.orders", "sales.orders")
    assert similar_names("sales.orderz", THERE)[0] == "sales.orders"
    assert similar_names("ordrs_old", THERE) == ("sales.orders_old",)
    assert similar_names("nothing at all", THERE) == ()


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """Return what is compared letter by letter from now on, which is not done: a name, and those that may be like it."""
    found: list[tuple[str, list[str]]] = []

    def get_close_matches(word: str, possibilities: Iterable[str], *limits: object) -> list[str]:
        found.append((word, list(possibilities)))
        return []

    monkeypatch.setattr("sac_kafka.tools.graph.name_lookup.get_close_matches", get_close_matches)
    return found


def test_only_a_part_of_hostile_names_is_compared(compared: list[tuple[str, list[str]]]) -> None:
    similar_names("ba" * 500, ["." * 1_000, *(f"{'ab' * 50}{i}" for i in range(1_000))])
    assert compared
    for word, names in compared:
        assert max(map(len, (word, *names))) <= 120
        assert len(names) <= 300


@pytest.mark.usefixtures("compared")
@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("ba", lambda typed, names: similar_names(typed, names)),
        ("/", lambda typed, names: matches(typed, names, dataset_names)),
    ],
    ids=["near", "meant"],
)
def test_hostile_names_take_linear_time(name: str, of: Callable[[str, list[str]], object]) -> None:
    def matching(size: int) -> Callable[[], object]:
        names: list[str] = [Text(f"{'ab' * 10}{i}") for i in range(size)]
        return lambda: of(Text(name * size), [*names, Text("." * size), Text("/" * size)])

    assert_linear(matching, 100)
