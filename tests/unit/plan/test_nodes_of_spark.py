"""Every node that a logical plan of the installed Spark may have is declared or listed with a reason."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from sac_kafka.plan.declaration import DECLARED
from tests.cases.batches import owed
from tests.live.sources.class_files import Ancestry, ancestry
from tests.unit.plan.undeclared_nodes import GONE, UNDECLARED

pyspark = pytest.importorskip("pyspark")
pytestmark = [pytest.mark.subset, pytest.mark.slow]
ROOT = "org.apache.spark.sql.catalyst.plans.logical.LogicalPlan"
LISTED = frozenset(name for each in UNDECLARED for name in each.names)


@cache
def classes() -> Mapping[str, Ancestry]:
    """Return the classes of Spark SQL without those that the Scala compiler generates for functions and companion objects."""
    jars = (Path(pyspark.__file__).parent / "jars").glob("spark-*.jar")
    return {each.name: each for jar in jars for each in _classes_in(jar)}


def _classes_in(jar: Path) -> Iterator[Ancestry]:
    with zipfile.ZipFile(jar) as opened:
        for name in opened.namelist():
            is_class = name.startswith("org/apache/spark/sql/") and name.endswith(".class")
            if is_class and "$$" not in name and not name.endswith("$.class"):
                yield ancestry(opened.read(name))


@cache
def lineage_of(name: str) -> frozenset[str]:
    """Return a class with all that it extends and implements."""
    known = classes().get(name)
    return frozenset((name,)).union(*(lineage_of(a) for a in known.ancestors)) if known else frozenset((name,))


@cache
def nodes() -> frozenset[str]:
    return frozenset(name for name, each in classes().items() if not each.is_abstract and ROOT in lineage_of(name))


def is_declared(name: str) -> bool:
    return any(DECLARED.get(each) is not None for each in lineage_of(name))


def test_each_node_is_declared_or_listed_with_a_reason() -> None:
    assert len(nodes()) > 200
    missing = sorted(n for n in nodes() if not is_declared(n) and n not in LISTED)
    assert missing == [], "declare it in plan/, or list it with a reason in tests/unit/plan/undeclared_nodes.py"


def test_no_listed_node_is_declared() -> None:
    now = sorted(n for n in LISTED & nodes() if is_declared(n))
    assert now == [], "declared now: remove it from tests/unit/plan/undeclared_nodes.py"


def test_each_listed_node_is_one_of_spark() -> None:
    """Allow names that only a Spark between the oldest and the newest has, because that one is not inspected."""
    oldest, newest = owed()
    assert GONE <= LISTED
    if pyspark.__version__ == newest:
        assert sorted(LISTED - nodes()) == sorted(GONE)
    elif pyspark.__version__ == oldest:
        assert sorted(GONE - nodes()) == []


def test_each_node_is_listed_once() -> None:
    counts = Counter(name for each in UNDECLARED for name in each.names)
    assert [name for name, times in counts.items() if times > 1] == []


def test_node_is_found_by_its_superclasses() -> None:
    """Find a node that is not listed, and one that only a superclass declares."""
    package = "org.apache.spark.sql.catalyst.plans.logical"
    assert f"{package}.Repartition" not in DECLARED
    assert is_declared(f"{package}.Repartition")
    assert not is_declared(f"{package}.Pivot")
