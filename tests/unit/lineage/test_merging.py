"""Two descriptions of one dataset are merged into one that has the attributes of both."""

from __future__ import annotations

import pytest

from sac_kafka.model import (
    Column,
    HBaseDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from sac_kafka.model.merging import merge


def columns(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name=name) for name in names)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (
            TableDataset(database="s", name="o", owner="a", columns=columns("x")),
            TableDataset(database="s", name="o", owner="b", provider="delta", columns=columns("x", "y")),
            TableDataset(database="s", name="o", owner="a", provider="delta", columns=columns("x", "y")),
        ),
        (
            TableDataset(database="s", name="o", properties=(("a", "1"),)),
            TableDataset(database="s", name="o", compressed=True, properties=(("b", "2"),)),
            TableDataset(database="s", name="o", compressed=True, properties=(("a", "1"),)),
        ),
        (
            PathDataset(path="file:/a", format="", locations=("file:/a/d=1",)),
            PathDataset(path="file:/a", format="csv", is_replaced=True, columns=columns("x")),
            PathDataset(
                path="file:/a", format="csv", locations=("file:/a/d=1",), is_replaced=True, columns=columns("x")
            ),
        ),
        (
            PathDataset(path="file:/a", format="csv", locations=("file:/a/d=2", "file:/a/d=1")),
            PathDataset(path="file:/a", format="csv", locations=("file:/a/d=1", "file:/a/d=3")),
            PathDataset(path="file:/a", format="csv", locations=("file:/a/d=2", "file:/a/d=1", "file:/a/d=3")),
        ),
        (
            TopicDataset(topic="t", columns=columns("key")),
            TopicDataset(topic="t", servers="b:9092", cluster="west", columns=columns("value")),
            TopicDataset(topic="t", servers="b:9092", cluster="west", columns=columns("key", "value")),
        ),
        (
            RdbmsDataset(rdbms_type="h2", database="d", table="t"),
            RdbmsDataset(rdbms_type="h2", database="d", table="t", columns=columns("x")),
            RdbmsDataset(rdbms_type="h2", database="d", table="t", columns=columns("x")),
        ),
        (
            HBaseDataset(namespace="n", table="t", columns=columns("x")),
            HBaseDataset(namespace="n", table="t", cluster="west"),
            HBaseDataset(namespace="n", table="t", cluster="west", columns=columns("x")),
        ),
    ],
)
def test_missing_attributes_are_taken_from_the_second(first, second, expected):
    assert merge(first, second) == expected
    assert merge(expected, expected) == expected


def test_columns_keep_the_attributes_of_both():
    known = TableDataset(database="s", name="o", columns=(Column(name="x", nullable=False), Column(name="y")))
    other = TableDataset(database="s", name="o", columns=(Column(name="x", type="int", comment="the x"),))
    assert merge(known, other).columns == (
        Column(name="x", type="int", nullable=False, comment="the x"),
        Column(name="y"),
    )
