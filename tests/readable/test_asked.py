"""What a person means by a name."""

from __future__ import annotations

import pytest

from sac_kafka.readable.asked import column_names, dataset_names, meant_by, near
from sac_kafka.readable.told import ToldColumn
from tests.waiting import cpu_below

THERE = ("sales.orders", "hr.orders", "hdfs://nn/data/orders", "Sales.Ärger", "sales.orders_old")


@pytest.mark.parametrize(
    ("asked", "meant"),
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
def test_the_end_of_a_name_will_do(asked: str, meant: list[str]) -> None:
    assert list(meant_by(asked, THERE, dataset_names)) == meant


def test_a_column_stands_behind_a_dot_or_a_mark_whatever_its_own_is() -> None:
    column, other = ToldColumn("file:/out", "a.b", "#"), ToldColumn("s.out", "a", ".")
    for asked in ("file:/out#a.b", "file:/out.a.b", "out.a.b", "out#a.b", "a.b"):
        assert meant_by(asked, [column, other], column_names) == (column,)
    assert meant_by("s.out#a", [column, other], column_names) == (other,)


@pytest.mark.parametrize("asked", ["s3a://lake/out/", "s3a://lake/out", "lake/out", "out", "out/", "OUT"])
def test_the_slash_behind_a_folder_is_nobodys_to_know(asked: str) -> None:
    there = ("s3a://lake/out/", "gs://b/outer/", "s3a://lake/out/in/")
    assert meant_by(asked, there, dataset_names) == ("s3a://lake/out/",)


def test_a_column_of_such_a_folder() -> None:
    column, other = ToldColumn("s3a://lake/out/", "a", "#"), ToldColumn("s3a://lake/out/", "b", "#")
    for asked in ("s3a://lake/out/#a", "s3a://lake/out#a", "out.a", "out#a", "a"):
        assert meant_by(asked, [column, other], column_names) == (column,)


def test_names_that_are_near() -> None:
    assert near("x.orders", THERE) == ("hdfs://nn/data/orders", "hr.orders", "sales.orders")
    assert near("sales.orderz", THERE)[0] == "sales.orders"
    assert near("ordrs_old", THERE) == ("sales.orders_old",)
    assert near("nothing at all", THERE) == ()


def test_hostile_names_take_no_time() -> None:
    names = [f"{'ab' * 50}{i}" for i in range(3_000)] + ["." * 100_000]
    with cpu_below(3):
        near("ba" * 50_000, names)
        meant_by("/" * 100_000, names, dataset_names)
