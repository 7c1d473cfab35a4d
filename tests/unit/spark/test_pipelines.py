"""Names of Declarative Pipelines."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sac_kafka.guard import Guard
from sac_kafka.hook.assembly import assemble
from sac_kafka.spark.session import pipeline_name
from tests.helpers.fake_driver import FakeDriver
from tests.unit.hook.test_assembly import settings_in


def command(file: str = "/spark/python/pyspark/pipelines/cli.py") -> Any:
    """Return a stand-in for the used part of Spark's command, which names a specification by its file."""
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
def test_pipeline_is_named_by_its_specification(arguments: list[str]) -> None:
    assert pipeline_name(command(), arguments) == "sales"


def test_without_a_specification_sparks_default_is_used() -> None:
    assert pipeline_name(command(), ["run", "--refresh", "a,b"]) == "found"


@pytest.mark.parametrize("file", ["/home/me/cli.py", "/spark/python/pyspark/pipelines/cli.pyc", None])
def test_other_program_is_no_pipeline(file: Any) -> None:
    assert pipeline_name(command(file), ["run", "--spec", "sales.yml"]) is None
    assert pipeline_name(None, []) is None


def test_empty_name_is_ignored() -> None:
    main = command()
    main.load_pipeline_spec = lambda _: SimpleNamespace(name="  ")
    assert pipeline_name(main, ["run", "--spec", "sales.yml"]) is None


@pytest.mark.planted
@pytest.mark.parametrize(
    ("arguments", "error"), [(["run", "--spec", "sales.yml"], "OSError"), (["run", "--spec"], "ArgumentError")]
)
def test_unreadable_specification_is_counted_and_logged_once(
    arguments: list[str], error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Attach the hook all the same, under the application's name."""
    main = command()

    def refuse(path: Path) -> Any:
        raise OSError(f"cannot read {path}")

    main.load_pipeline_spec = refuse
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(sys, "argv", ["cli.py", *arguments])
    guard = Guard()
    for _ in range(2):
        parts = assemble(FakeDriver(name="cli.py"), settings_in(tmp_path), guard)
        parts.dismantle(guard)
    assert parts.pipeline.application.job == "cli.py"
    assert guard.counts == {f"specification of a pipeline: {error}": 2}
    logged = [line for line in caplog.messages if "specification of a pipeline" in line]
    assert len(logged) == 1
    assert ("cannot read sales.yml" in logged[0]) is (error == "OSError")


def test_uses_the_command_of_spark(tmp_path: Path) -> None:
    """Call the functions of the installed Spark on a specification from its documentation."""
    cli = pytest.importorskip("pyspark.pipelines.cli")
    (tmp_path / "spark-pipeline.yml").write_text("name: daily sales\nstorage: file:///tmp/x\nlibraries: []\n", "utf-8")
    assert pipeline_name(cli, ["run", "--spec", str(tmp_path / "spark-pipeline.yml")]) == "daily sales"
