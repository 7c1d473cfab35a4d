"""What a test may ask of its lineage, over messages that were made by hand."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.figures import Stats, stats_of_none
from sac_kafka.lineage.model import ColumnLineage, ColumnSource, Dependency, Process
from sac_kafka.testing import Lineage, LineageTestError
from sac_kafka.testing.golden import GoldenFiles
from sac_kafka.testing.shortening import Shortening
from tests.atlas.flows import path, process, say, table

ORDERS, PEOPLE, REPORT = table("orders", "id", "amount"), table("people", "id"), table("report", "total", "n", "one")


class _Seen:
    """Stands for the hooks of a run."""

    def __init__(self, processes: Iterable[Process] | None, now: Stats | None = None) -> None:
        self.is_any = processes is not None
        self._messages = tuple(message.value for each in processes or () for message in say(each))
        self._now = now or stats_of_none(None, {})

    def messages(self) -> tuple[str, ...]:
        return self._messages

    def figures(self) -> Iterator[tuple[Stats, Stats]]:
        return iter([(stats_of_none(None, {}), self._now)])


def made(name: str, source: str | None, kind: Dependency = Dependency.IDENTITY) -> ColumnLineage:
    sources = (ColumnSource(ORDERS.key, source, kind),) if source else ()
    return ColumnLineage(dataset=REPORT.key, column=name, sources=sources, expression="" if source else "1")


FLOW = process(
    [ORDERS, PEOPLE],
    [REPORT],
    [made("total", "amount", Dependency.AGGREGATION), made("n", "id", Dependency.CONDITIONAL), made("one", None)],
)


def lineage(
    *processes: Process, folder: Path = Path("/nowhere"), is_updating: bool = False, written: Any = print, **seen: Any
) -> Lineage:
    golden = GoldenFiles(folder, is_updating=is_updating, written=written)
    return Lineage(_Seen(processes, **seen), Shortening({"{tmp_path}": folder}), golden, "spark")


def test_flows_and_columns() -> None:
    seen = lineage(FLOW)
    seen.assert_flow(inputs=["sales.orders", "people"], output="report")
    assert seen.inputs("sales.report") == {"sales.orders", "sales.people"}
    assert seen.columns("report.total") == {"sales.orders.amount"}
    assert seen.columns("report.n") == set()
    assert seen.influences("report.n") == {"sales.orders.id"}
    assert seen.columns("report.one") == seen.influences("report.one") == set()
    seen.assert_column("report.n", made_of=[], influenced_by=["orders.id"])
    seen.assert_column("report.total", made_of=["orders.amount"])


@pytest.mark.parametrize(
    "inputs", [["orders"], ["orders", "people", "more"], [], ["orders", "orders"], ["orders", "id"]]
)
def test_inputs_are_exactly_those(inputs: list[str]) -> None:
    with pytest.raises(AssertionError, match=r"^sales\.report is made of other datasets than expected\n"):
        lineage(FLOW).assert_flow(inputs=inputs, output="report")


def test_one_of_several_flows_has_to_be_the_one() -> None:
    several = lineage(FLOW, process([ORDERS], [REPORT], job="other"))
    several.assert_flow(inputs=["orders"], output="report")
    several.assert_flow(inputs=["orders", "people"], output="report")
    with pytest.raises(AssertionError, match=r"sales\.orders  seen, not expected"):
        several.assert_flow(inputs=["people"], output="report")


def test_a_flow_without_inputs() -> None:
    lineage(process([], [REPORT], [made("one", None)])).assert_flow(inputs=[], output="report")


def test_a_name_that_could_be_several() -> None:
    other = table("report", "total", database="hr")
    seen = lineage(FLOW, process([ORDERS], [other]))
    with pytest.raises(AssertionError, match=r"report could be 2, name one in full:\n  hr\.report\n  sales\.report"):
        seen.inputs("report")
    with pytest.raises(
        AssertionError, match=r"  hr\.orders     seen\n  orders        could be hr\.orders or sales\.orders\n"
    ):
        lineage(process([ORDERS, table("orders", database="hr")], [REPORT])).assert_flow(
            inputs=["orders"], output="report"
        )


def test_folders_of_a_test_have_names(tmp_path: Path) -> None:
    source, target = path(f"file:{tmp_path}/in", "a"), path(f"file:{tmp_path}/ünï#x/out", "a")
    copied = ColumnLineage(
        dataset=target.key, column="a", sources=(ColumnSource(source.key, "a", Dependency.IDENTITY),)
    )
    seen = lineage(process([source], [target], [copied]), folder=tmp_path)
    for named in (tmp_path / "in", f"{tmp_path}/in", f"file://{tmp_path}/in", "{tmp_path}/in", "in"):
        seen.assert_flow(inputs=[named], output="out")
    assert seen.columns("out.a") == {"{tmp_path}/in#a"}
    assert seen.columns(f"{tmp_path}/ünï#x/out#a") == {"{tmp_path}/in#a"}
    seen.abbreviate(tmp_path / "ünï#x", "{data}")
    assert [each.outputs for each in seen.flows] == [("{data}/out",)]


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("file:/w/x/out", "{x}/out"),
        ("file:///w/x#c", "{x}#c"),
        ("/w/x", "{x}"),
        ("/w/xy/out", "{w}/xy/out"),
        ("file:/other", "file:/other"),
        ("s3a://w/x", "s3a://w/x"),
        ("w/x", "w/x"),
    ],
)
def test_of_folders_within_each_other_the_nearest_counts(name: str, short: str) -> None:
    assert Shortening({"{w}": Path("/w"), "{x}": Path("/w/x")}).short(name) == short


def test_without_a_session_the_cure_is_said() -> None:
    seen = Lineage(_Seen(None), Shortening({}), GoldenFiles(Path(), is_updating=False, written=print), "my_spark")
    for ask in (lambda: seen.flows, lambda: seen.columns("a.b"), lambda: seen.assert_golden("x")):
        with pytest.raises(LineageTestError, match="no Spark session is watched: have a fixture `my_spark` give it"):
            ask()


def test_nothing_seen_is_told_with_what_was_counted() -> None:
    now = stats_of_none(None, {"lineage: ValueError": 1})
    now["executions"], now["failed"] = 3, 1
    now["captured"] = {"executions without output": 2}
    now["left_out"]["datasets"] = {"path:/tmp/**": 4}
    with pytest.raises(AssertionError) as failed:
        lineage(now=now).columns("a.b")
    assert str(failed.value).splitlines() == [
        "no lineage was seen: of 3 executions since the test began none has written a dataset that is known",
        "  failed: 1",
        "  executions without output: 2",
        "  error: lineage: ValueError: 1",
        "  left out by path:/tmp/**: 4",
    ]


def test_golden_files(tmp_path: Path) -> None:
    written: list[Path] = []
    with pytest.raises(AssertionError, match=r"there is no golden file .*flow\.json: run pytest --lineage-update once"):
        lineage(FLOW, folder=tmp_path).assert_golden("flow")
    for _ in range(2):  # the second time it is as it was
        lineage(FLOW, folder=tmp_path, is_updating=True, written=written.append).assert_golden("flow")
    assert written == [tmp_path / "lineage" / "flow.json"]
    lineage(FLOW, FLOW, folder=tmp_path).assert_golden("flow")
    with pytest.raises(AssertionError) as failed:
        lineage(process([ORDERS], [REPORT], FLOW.columns[:1]), folder=tmp_path).assert_golden("flow")
    assert str(failed.value).splitlines()[3:] == [
        "",
        "- sales.orders, sales.people ──▶ sales.report",
        "+ sales.orders ──▶ sales.report",
        "      sales.report.total ◀─ sales.orders.amount",
        "-     sales.report.n ◁┄ sales.orders.id",
    ]


def test_a_golden_file_of_nothing_is_never_written(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no lineage was seen"):
        lineage(folder=tmp_path, is_updating=True).assert_golden("flow")
    assert not (tmp_path / "lineage").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"flows": [{"inputs": 5}]}', '{"flows": 5}', "[" * 100_000])
def test_what_is_no_golden_file_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "lineage").mkdir()
    (tmp_path / "lineage" / "flow.json").write_text(text)
    with pytest.raises(LineageTestError, match=r"flow\.json is no golden file \(\w+\): delete it"):
        lineage(FLOW, folder=tmp_path).assert_golden("flow")


@pytest.mark.parametrize("name", ["", "a/b", "../x", "a\\b", ".x", "a\nb", "x" * 201])
def test_a_golden_name_is_that_of_a_file(name: str) -> None:
    with pytest.raises(LineageTestError, match="the name of a file without folders"):
        lineage(FLOW).assert_golden(name)


def test_names_do_not_steer_the_terminal() -> None:
    evil = path("file:/\x1b[2J\u202eevil\n", "a")
    with pytest.raises(AssertionError) as failed:
        lineage(process([evil], [REPORT])).assert_flow(inputs=["x"], output="report")
    assert "file:/\\x1b[2J\\u202eevil\\n" in str(failed.value)
    assert not {"\x1b", "\u202e"} & set(str(failed.value))


def test_many_flows_are_shown_in_part() -> None:
    seen = lineage(*(process([ORDERS], [path(f"file:/out{i}", "a")], job=f"job {i}") for i in range(100)))
    started = time.thread_time()
    with pytest.raises(AssertionError, match="… and 80 more flows"):
        seen.inputs("x" * 100_000)
    assert time.thread_time() - started < 3


def test_golden_texts_are_those_of_people(tmp_path: Path) -> None:
    lineage(process([table("名")], [REPORT]), folder=tmp_path, is_updating=True).assert_golden("名")
    text = (tmp_path / "lineage" / "名.json").read_text("utf-8")
    assert '"sales.名"' in text
    assert json.loads(text)["flows"][0]["outputs"] == ["sales.report"]
