"""What a Declarative Pipeline is called."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sac_kafka.spark.pipelines import pipeline_name


def command(file: str = "/spark/python/pyspark/pipelines/cli.py") -> Any:
    """Spark's command, as far as it is asked: a specification is named by its file."""
    return SimpleNamespace(
        __file__=file,
        find_pipeline_spec=lambda folder: folder / "found.yml",
        load_pipeline_spec=lambda path: SimpleNamespace(name=path.stem),
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--spec", "sales.yml"],
        ["run", "--spec=in/sales.yml", "--full-refresh-all"],
        ["dry-run", "--spec", "sales.yml"],
    ],
)
def test_the_specification_names_it(arguments: list[str]) -> None:
    assert pipeline_name(command(), arguments) == "sales"


def test_without_a_specification_it_is_the_one_that_spark_finds() -> None:
    assert pipeline_name(command(), ["run", "--refresh", "a,b"]) == "found"


@pytest.mark.parametrize("file", ["/home/me/cli.py", "/spark/python/pyspark/pipelines/cli.pyc", None])
def test_any_other_program_is_none(file: Any) -> None:
    assert pipeline_name(command(file), ["run", "--spec", "sales.yml"]) is None
    assert pipeline_name(None, []) is None


def test_what_cannot_be_read_names_nothing() -> None:
    main = command()

    def refuse(path: Path) -> Any:
        raise OSError(path)

    main.load_pipeline_spec = refuse
    assert pipeline_name(main, ["run", "--spec", "sales.yml"]) is None
    main.load_pipeline_spec = lambda _: SimpleNamespace(name="  ")
    assert pipeline_name(main, ["run", "--spec", "sales.yml"]) is None
    assert pipeline_name(main, ["run", "--spec"]) is None


def test_sparks_own_command_is_what_is_asked(tmp_path: Path) -> None:
    """The functions of the Spark that is installed, on a specification as its documentation has it."""
    cli = pytest.importorskip("pyspark.pipelines.cli")
    (tmp_path / "spark-pipeline.yml").write_text("name: daily sales\nstorage: file:///tmp/x\nlibraries: []\n", "utf-8")
    assert pipeline_name(cli, ["run", "--spec", str(tmp_path / "spark-pipeline.yml")]) == "daily sales"
