"""`sac-kafka jar` prints the path of the jar and the name of its listener."""

from __future__ import annotations

from pathlib import Path

from sac_kafka.spark.java_classes import driver_archive
from tests.unit.tools.cli.conftest import Cli


def test_the_path_is_printed(cli: Cli) -> None:
    cli("jar").check(0, f"{driver_archive()}\n")


def test_the_key_is_the_listener(cli: Cli) -> None:
    cli("jar", "--key").check(0, "sackafka.driver.LineageListener\n")


def test_a_copy_is_the_jar_and_its_path_is_printed(cli: Cli, tmp_path: Path) -> None:
    copy = tmp_path / driver_archive().name
    cli("jar", "--copy", tmp_path).check(0, f"{copy}\n")
    assert copy.read_bytes() == driver_archive().read_bytes()


def test_missing_folder_is_named(cli: Cli, tmp_path: Path) -> None:
    cli("jar", "--copy", tmp_path / "gone").check(2, err=f"{tmp_path / 'gone'}: the jar cannot be copied there: ")
