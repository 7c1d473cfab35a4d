"""Many paths are folded into one dataset, in time proportional to their number."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from sac_kafka.names.files import MAX_LOCATIONS, MAX_ROOTS, paths, roots
from sac_kafka.names.paths import root
from tests.helpers.seeds import seed
from tests.helpers.work import Text, assert_linear

FIRST = date(2026, 1, 1)
DAYS = [FIRST + timedelta(days=n) for n in range(365)]
MANY = range(5_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("locations", "expected"),
    [
        ([f"file:/in/{day}" for day in DAYS[:30]], ["file:/in"]),
        ([f"file:/in/{day}" for day in DAYS], ["file:/in"]),
        ([f"file:/in/{day:%Y/%m/%d}" for day in DAYS], ["file:/in"]),
        ([f"file:/in/{day:%Y/%m/%d}/{hour:02}" for day in DAYS[:60] for hour in range(24)], ["file:/in"]),
        ([f"s3a://b/in/dt={day}/hour={hour:02}" for day in DAYS[:60] for hour in range(24)], ["s3a://b/in"]),
        ([f"s3a://b/in/dt={day}/part-{n:05}.parquet" for day in DAYS for n in range(3)], ["s3a://b/in"]),
        ([f"file:/in/orders_{day}.csv" for day in DAYS], ["file:/in/orders_{date}.csv"]),
        ([f"file:/in/{day}/orders.csv" for day in DAYS], ["file:/in/{date}/orders.csv"]),
        ([f"s3a://b/in/dt={day}/raw" for day in DAYS], ["s3a://b/in/dt={date}/raw"]),
        ([f"s3a://b/in/{day:year=%Y/month=%m/day=%d}" for day in DAYS], ["s3a://b/in"]),
        ([f"s3a://b/in/dt={day}/{n}.csv" for day in DAYS[:10] for n in range(100)], ["s3a://b/in"]),
        (
            [f"s3a://b/env={env}/{day}/orders" for env in "ab" for day in DAYS],
            [f"s3a://b/env={env}/{{date}}/orders" for env in "ab"],
        ),
        ([f"s3a://b/lake/shop={n}/orders" for n in range(50)], ["s3a://b/lake"]),
        ([f"file:/in/part_{n}.csv" for n in MANY], ["file:/in"]),
        ([f"file:/in/{n:x}.csv" for n in MANY], ["file:/in"]),
        ([f"s3a://b/in/{n}" for n in MANY], ["s3a://b/in"]),
        ([f"file:/in/{day}/{n}.csv" for day in DAYS[:10] for n in range(100)], ["file:/in"]),
        ([f"file:/lake/d{n}/x.csv" for n in MANY], ["file:/lake"]),
        ([f"file:/lake/d{n // 100}/e{n}/x.csv" for n in MANY], ["file:/lake"]),
        ([f"hdfs://nn1/a/b/{n}/{m}.csv" for n in range(30) for m in range(3)], ["hdfs://nn1/a/b"]),
        # not more than a few
        ([f"file:/in/{n}.csv" for n in range(MAX_ROOTS)], [f"file:/in/{n}.csv" for n in range(MAX_ROOTS)]),
        # two directories with many, and one file
        (
            [*(f"file:/a/x/{n}.csv" for n in MANY), *(f"file:/a/y/{n}.csv" for n in MANY), "file:/a/z.csv"],
            ["file:/a/z.csv", "file:/a/x", "file:/a/y"],
        ),
        # a folded path is itself a root, and occurs twice
        (
            [f"file:/in/{day}/{uuid}/{n}" for day in DAYS[:2] for uuid in ("a" * 32, "b" * 32, "x") for n in range(30)],
            ["file:/in", "file:/in/{date}/x"],
        ),
        # of two file systems
        (
            [*(f"s3a://b/x/{n}.csv" for n in MANY), *(f"s3a://c/x/{n}.csv" for n in MANY)],
            ["s3a://b/x", "s3a://c/x"],
        ),
    ],
    ids=lambda value: f"{value[0]}-{len(value)}",
)
def test_many_paths(locations: list[str], expected: list[str]) -> None:
    assert sorted(roots(locations)) == sorted(expected)


@pytest.mark.parametrize(
    "top",
    ["file:/", "s3a://bucket/", "hdfs://nn1/", "abfss://c@a.dfs.core.windows.net/", "ofs://service/volume/bucket/"],
)
def test_root_of_a_file_system_is_no_dataset(top: str) -> None:
    locations = [f"{top}d{n}" for n in range(50)]
    assert sorted(roots(locations)) == sorted(locations)
    assert list(roots(f"{top}in/d{n}" for n in range(50))) == [f"{top}in"]


def test_no_path_is_lost() -> None:
    locations = [f"file:/a/{n % 7}/{n}.csv" for n in MANY]
    assert sorted(path for there in roots(locations).values() for path in there) == sorted(locations)


def test_memory_is_bounded() -> None:
    (found,) = paths([f"file:/in/{n}.csv" for n in MANY], "CSVFileFormat", (), ())
    assert (found.path, len(found.locations)) == ("file:/in", MAX_LOCATIONS)


def test_few_paths_have_the_roots_that_each_has() -> None:
    draw = random.Random(seed(3))
    words = [
        *(
            "in",
            "orders",
            "dt=2026-01-01",
            "env=prod",
            "y=2026",
            "m=11",
            "h=5",
            "part-1-x",
            "part-r-00000",
            "2026",
            "01",
            "2026-01-01",
            "05",
            "part-00000",
            "orders_20260101.csv",
            "x?y=1",
        ),
        *("0f8fad5b-d9cb-469f-a165-70867728950e", "application_1700000000000_0001", "_SUCCESS", "batch17", "20260101"),
        *("tmp", "tmp", "tmpab12cd34"),
    ]
    for _ in range(5_000):
        start = draw.choice(("file:/", "/", "s3a://b/", "file:///", "hdfs://nn1:8020/"))
        path = start + "/".join(draw.choices(words, k=draw.randrange(5))) + draw.choice(("", "", "/"))
        assert list(roots([path])) == [root(path)], path


SHAPES: dict[str, Callable[[int], str]] = {
    "one directory": lambda n: f"s3a://bucket/landing/orders/export_{n}.csv",
    "hours": lambda n: f"s3a://b/lake/dt={FIRST + timedelta(days=n // 24)}/hour={n % 24:02}/part-{n:05}.parquet",
    "dated files": lambda n: f"s3a://bucket/landing/orders/orders_{FIRST + timedelta(days=n % 20_000)}_{n}.csv",
    "many directories": lambda n: f"s3a://bucket/landing/shop{n % 5_000}/orders/x{n}.csv",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_many_paths_take_linear_time(shape: str) -> None:
    def folding_many(count: int) -> Callable[[], object]:
        locations = [Text(SHAPES[shape](n)) for n in range(count)]
        assert len(roots(locations)) <= MAX_ROOTS
        return lambda: roots(locations)

    assert_linear(folding_many, 150)
