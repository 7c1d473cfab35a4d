"""The precompiled Java classes: made of the present sources, used on every supported Spark, replaced where they do not fit."""

from __future__ import annotations

import logging
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sac_kafka
from dev.java_classes import (
    DIGEST,
    Libraries,
    compile_for,
    digest_of_sources,
    for_driver,
    for_scala,
    javac,
    links_of,
    scala_of,
)
from sac_kafka.spark import java_classes, listener
from sac_kafka.spark.java_classes import UNITS
from sac_kafka.tools.cli.jar import LISTENER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ARCHIVES = ("2.12", "2.13")


@pytest.mark.parametrize("scala", ARCHIVES)
def test_classes_are_built_from_the_current_sources(scala: str) -> None:
    with zipfile.ZipFile(java_classes.archive(scala)) as found:
        assert found.read(DIGEST).decode() == digest_of_sources(), "spark/java has changed: make classes"
        names = set(found.namelist())
    assert {f"{unit.entry.replace('.', '/')}.class" for unit in UNITS} <= names
    assert {f"links/{unit.package}.txt" for unit in UNITS} <= names


def test_the_jar_for_drivers_without_python_has_the_same_classes() -> None:
    with zipfile.ZipFile(java_classes.driver_archive()) as found:
        assert found.read(DIGEST).decode() == digest_of_sources(), "spark/java has changed: make classes"
        assert f"{LISTENER.replace('.', '/')}.class" in found.namelist()
        assert not any(name.startswith("sackafka/") and "/driver/" not in name for name in found.namelist())


def test_links_are_the_members_of_others_that_a_class_uses() -> None:
    with zipfile.ZipFile(java_classes.archive("2.13")) as found:
        links = set(links_of(found.read("sackafka/BusDrops.class")))
    assert "class org.apache.spark.scheduler.LiveListenerBus" in links
    assert all(link.split()[0] in ("class", "field", "method") for link in links)
    assert not any(link.split()[1].startswith(("java.", "sackafka.")) for link in links)


@pytest.mark.spark
@pytest.mark.exhaustive
@pytest.mark.subset
@pytest.mark.skipif(javac() is None, reason="needs javac 17, which the classes are compiled with")
def test_the_same_sources_give_the_same_bytes() -> None:
    pyspark = Path(pytest.importorskip("pyspark").__file__).parent
    classes = compile_for(pyspark)
    assert for_scala(classes, Libraries(pyspark)) == java_classes.archive(scala_of(pyspark)).read_bytes()
    assert for_driver(classes) == java_classes.driver_archive().read_bytes()


@pytest.fixture
def fresh(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession]:
    """Return a session whose JVM seems not to have loaded the listener."""
    monkeypatch.setattr(listener, "_LOADED", {})
    return spark


def lineage_of(spark: SparkSession, work: Path) -> tuple[dict[str, int], list[str]]:
    """Attach, write and detach: what was counted, and the types of the entities."""
    hook = sac_kafka.attach(spark, client_type="memory", metadata_namespace="test")
    try:
        spark.range(3).write.mode("overwrite").parquet(f"{work}/in")
        spark.read.parquet(f"{work}/in").selectExpr("id + 1 as next").write.mode("overwrite").parquet(f"{work}/out")
        assert hook.flush(60)
        stats = hook.stats()
        return stats["captured"], sorted(stats["message_types"])
    finally:
        hook.detach()


@pytest.mark.spark
@pytest.mark.subset
def test_classes_are_used_and_recompiled_if_they_do_not_fit(
    fresh: SparkSession,
    work: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Use an archive that needs a missing method, as a Spark with another signature would."""
    counted, types = lineage_of(fresh, work)
    assert "listener compiled in the driver" not in counted

    scala = scala_of(Path(pytest.importorskip("pyspark").__file__).parent)
    misfit = tmp_path / "misfit.jar"
    with zipfile.ZipFile(java_classes.archive(scala)) as found, zipfile.ZipFile(misfit, "w") as changed:
        for name in found.namelist():
            text = found.read(name)
            if name == "links/sackafka.txt":
                text = re.sub(
                    rb"(?m)^(class org.apache.spark.SparkContext) \w+", rb"\1 0", text
                )  # another SparkContext
                text += b"method org.apache.spark.SparkContext applicationId ()I\n"
            changed.writestr(name, text)
    for path, reason in (
        (misfit, "this driver has no method org.apache.spark.SparkContext applicationId ()I"),
        (tmp_path / "none.jar", "there are no precompiled classes at"),
    ):
        monkeypatch.setattr(java_classes, "archive", lambda _, path=path: path)
        monkeypatch.setattr(listener, "_LOADED", {})
        with caplog.at_level(logging.DEBUG, "sac_kafka"):
            again, types_again = lineage_of(fresh, work)
        assert again.pop("listener compiled in the driver") == 1
        assert (again, types_again) == (counted, types)
        assert reason in caplog.text
