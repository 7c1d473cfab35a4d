"""Assertions on the lineage of a test, over hand-made messages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from sac_kafka.model import ColumnLineage, ColumnSource, Dependency, Process, RowClause
from sac_kafka.stats import Stats, stats_of_none
from sac_kafka.testing import Lineage, LineageTestError
from sac_kafka.testing.failures import other_than_golden
from sac_kafka.testing.golden import GoldenFiles
from sac_kafka.testing.naming import Shortening
from sac_kafka.tools.graph.flows import Flow
from tests.helpers.work import Text, assert_linear
from tests.unit.atlas.flows import messages_for, path, process, table

ORDERS, PEOPLE, REPORT = table("orders", "id", "amount"), table("people", "id"), table("report", "total", "n", "one")


class _Seen:
    """A stand-in for the hooks of a run."""

    def __init__(
        self, processes: Iterable[Process] | None, now: Stats | None = None, *, has_ended: bool = False
    ) -> None:
        self.is_any = processes is not None
        self.has_ended = has_ended
        self._messages = tuple(message.value for each in processes or () for message in messages_for(each))
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


def failure(ask: Callable[[], object]) -> list[str]:
    """Return the lines of a failed assertion."""
    with pytest.raises(AssertionError) as failed:
        ask()
    return str(failed.value).split("\n")


def golden(flow: Process, folder: Path, **options: bool) -> dict[str, Any]:
    """Write the golden file of a flow, compare it, and return the flow in it."""
    lineage(flow, folder=folder, is_updating=True).assert_golden("flow", **options)
    (document,) = json.loads((folder / "lineage" / "flow.json").read_text("utf-8"))["flows"]
    lineage(flow, folder=folder).assert_golden("flow", **options)
    return cast("dict[str, Any]", document)


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
    with pytest.raises(AssertionError, match=r"^sales\.report does not have the expected inputs\n"):
        lineage(FLOW).assert_flow(inputs=inputs, output="report")


def test_one_of_several_flows_must_match() -> None:
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
    with pytest.raises(
        AssertionError, match=r"report is ambiguous, use one of these names:\n  hr\.report\n  sales\.report"
    ):
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


@pytest.mark.parametrize("named", ["s3a://lake/raw/out", "{raw}/out", "s3a://lake/raw/out/", "out"])
def test_a_folder_elsewhere_may_have_a_name_too(named: str) -> None:
    raw, rawer = path("s3a://lake/raw/in", "a"), path("s3a://lake/raw/out", "a")
    seen = lineage(process([raw], [rawer]))
    seen.abbreviate("s3a://lake/raw/", "{raw}")
    seen.assert_flow(inputs=["{raw}/in"], output=named)
    assert seen.inputs(named) == {"{raw}/in/"}


def test_a_local_folder_may_be_named_as_a_uri(tmp_path: Path) -> None:
    seen = lineage(process([path(f"file:{tmp_path}/d/in", "a")], [REPORT]))
    seen.abbreviate((tmp_path / "d").as_uri(), "{data}")
    assert seen.inputs("report") == {"{data}/in"}


def test_single_name_is_not_read_as_letters() -> None:
    seen = lineage(process([ORDERS], [REPORT], [made("total", "amount")]))
    seen.assert_flow(inputs="orders", output="report")
    seen.assert_column("report.total", made_of="orders.amount")
    with pytest.raises(AssertionError, match=r"ordrs +expected, not seen"):
        seen.assert_flow(inputs="ordrs", output="report")
    with pytest.raises(AssertionError, match=r"tu +expected, not seen"):
        lineage(process([table("t"), table("u")], [REPORT])).assert_flow(inputs="tu", output="report")


@pytest.mark.parametrize("named", ["orders/", "file:///data/orders/", "/data/orders//", Path("/data/orders")])
def test_a_folder_may_end_in_a_slash(named: str | Path) -> None:
    seen = lineage(process([path("file:/data/orders", "a")], [path("s3a://bucket/", "a")]))
    seen.assert_flow(inputs=[named], output="s3a://bucket/")


@pytest.mark.parametrize("named", ["report.`a.b`", "report#a.b", "sales.report#a.b"])
def test_a_column_with_a_dot(named: str) -> None:
    assert lineage(process([ORDERS], [REPORT], [made("a.b", "amount")])).columns(named) == {"sales.orders.amount"}


@pytest.mark.parametrize("named", ["out#we`ird", "out.we`ird", "out#`we``ird`", "out.`we``ird`"])
def test_a_column_of_a_folder_with_quotes(named: str) -> None:
    out = path("s3a://lake/out", "we`ird")
    source = ColumnSource(ORDERS.key, "amount", Dependency.IDENTITY)
    weird = ColumnLineage(dataset=out.key, column="we`ird", sources=(source,))
    assert lineage(process([ORDERS], [out], [weird])).columns(named) == {"sales.orders.amount"}


def test_unknown_column_is_reported_with_the_known_ones() -> None:
    assert failure(lambda: lineage(FLOW).columns("report.price")) == [
        "report.price is not a known column of the written datasets",
        "",
        "known columns of sales.report:",
        "  sales.report.n",
        "  sales.report.one",
        "  sales.report.total",
    ]


def test_unknown_columns_have_a_reason() -> None:
    unknown = replace(
        process([ORDERS], [REPORT]), gaps=("columns not known: the rows were made by an RDD's functions",)
    )
    assert "known columns of sales.report:" in failure(lambda: lineage(unknown, FLOW).columns("orders.total"))
    assert failure(lambda: lineage(unknown).columns("report"))[2:] == [
        "known columns of sales.report: none",
        "  not known: columns not known: the rows were made by an RDD's functions",
    ]


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
def test_innermost_folder_counts(name: str, short: str) -> None:
    assert Shortening({"{w}": Path("/w"), "{x}": Path("/w/x")}).short(name) == short


def test_without_a_session_the_error_has_a_fix() -> None:
    seen = Lineage(_Seen(None), Shortening({}), GoldenFiles(Path(), is_updating=False, written=print), "my_spark")
    for ask in (lambda: seen.flows, lambda: seen.columns("a.b"), lambda: seen.assert_golden("x")):
        with pytest.raises(LineageTestError, match="no Spark session is watched: provide it by a fixture `my_spark`"):
            ask()


def test_missing_lineage_is_reported_with_the_counts() -> None:
    now = stats_of_none(None, {"lineage: ValueError": 1})
    now["executions"], now["failed"] = 3, 1
    now["captured"] = {"executions without output": 2}
    now["excluded"]["datasets"] = {"path:/tmp/**": 4}
    assert failure(lambda: lineage(now=now).columns("a.b")) == [
        "no lineage was captured: Spark has run 3 queries since the test began, but none wrote to a known dataset",
        "  failed queries: 1",
        "  executions without output: 2",
        "  error: lineage: ValueError: 1",
        "  excluded by path:/tmp/**: 4",
    ]


@pytest.mark.parametrize("flows", [(), (FLOW,)])
def test_reports_that_the_hook_was_detached(flows: tuple[Process, ...]) -> None:
    for has_ended in (False, True):
        text = "".join(failure(lambda ended=has_ended: lineage(*flows, has_ended=ended).inputs("later")))
        assert ("the job called detach in this test, so later lineage was not captured" in text) is has_ended


UNKNOWN = "relation not understood: com.example.Mystery"
NO_COLUMNS = "columns not known: the rows were made by an RDD's functions"


def test_inputs_that_are_not_understood_fail_unless_they_are_accepted() -> None:
    seen = lineage(replace(FLOW, gaps=(UNKNOWN, NO_COLUMNS)))
    assert failure(lambda: seen.assert_flow(inputs=["orders", "people"], output="report")) == [
        "sales.report has the expected inputs, but further inputs are unknown",
        "",
        f"  {UNKNOWN}",
        "",
        "see docs/completeness.md; to accept these reasons:",
        f"  assert_flow(…, missing=['{UNKNOWN}'])",
    ]
    for accepted in (UNKNOWN, [UNKNOWN], ["other", "relation not understood"]):
        seen.assert_flow(inputs=["orders", "people"], output="report", missing=accepted)
    with pytest.raises(AssertionError, match=rf"orders +seen, not expected\n.*\n  not known: {UNKNOWN}\n"):
        seen.assert_flow(inputs=["people", "mystery"], output="report", missing=UNKNOWN)


def test_partial_lineage_warns_at_the_callers_line() -> None:
    seen = lineage(replace(FLOW, gaps=(UNKNOWN,)), process([ORDERS], [table("report_2", "c")]))
    ways = (
        lambda: seen.inputs("report"),
        lambda: seen.columns("report.total"),
        lambda: seen.influences("report.total"),
        lambda: seen.assert_column("report.total", made_of="orders.amount"),
    )
    for ask in ways:
        with pytest.warns(UserWarning, match=rf"^the lineage of sales\.report.* is incomplete: {UNKNOWN} ") as warned:
            ask()
        assert [each.filename for each in warned] == [__file__]
    assert seen.inputs("report_2") == {"sales.orders"}


def test_expected_gaps_are_not_missing() -> None:
    """Ignore unknown columns for inputs, and inputs that the user's rules exclude."""
    seen = lineage(replace(FLOW, gaps=(NO_COLUMNS,), inputs_excluded=1))
    seen.assert_flow(inputs=["orders", "people"], output="report")
    assert seen.inputs("report") == {"sales.orders", "sales.people"}
    with pytest.raises(
        AssertionError, match=rf"is not made of the expected columns\n\n.*\n.*\n  not known: {NO_COLUMNS}$"
    ):
        seen.assert_column("report.total", made_of="people.id")


def test_golden_file_lists_gaps(tmp_path: Path) -> None:
    partial = replace(FLOW, gaps=(UNKNOWN,))
    assert golden(partial, tmp_path)["missing"] == [UNKNOWN]
    with pytest.raises(AssertionError, match=f"\n-     not known: {UNKNOWN}\n"):
        lineage(FLOW, folder=tmp_path).assert_golden("flow")


def filtered(expression: str, condition: str) -> Process:
    """Return a flow with this expression of one column, and this condition on rows."""
    total = replace(FLOW.columns[0], expression=expression)
    clause = RowClause(dependency=Dependency.FILTER, text=condition)
    return replace(FLOW, columns=(total, *FLOW.columns[1:]), clauses=(clause,))


def test_golden_file_lists_expressions_constants_and_row_conditions(tmp_path: Path) -> None:
    flow = filtered("sum(amount)", "amount > 100")
    document = golden(flow, tmp_path)
    assert document["expressions"] == {"sales.report.total": ["sum(amount)"]}
    assert document["constants"] == {"sales.report.one": ["1"]}
    assert document["rows"] == "Rows filtered by amount > 100."
    other = lineage(filtered("sum(amount * 2)", "amount * 2 > 100"), folder=tmp_path)
    assert failure(lambda: other.assert_golden("flow"))[-5:] == [
        "-     sales.report.total = sum(amount)",
        "+     sales.report.total = sum(amount * 2)",
        "      sales.report.one = 1",
        "-     Rows filtered by amount > 100.",
        "+     Rows filtered by amount * 2 > 100.",
    ]
    other.assert_golden("flow", expressions=False)


def test_golden_file_of_an_earlier_version_is_compared_without_expressions(tmp_path: Path) -> None:
    flow, other = filtered("sum(amount)", "amount > 100"), filtered("max(amount)", "amount > 100")
    assert golden(flow, tmp_path, expressions=False).keys() == {"inputs", "outputs", "columns", "influences"}
    lineage(other, folder=tmp_path).assert_golden("flow", expressions=False)
    with pytest.warns(
        UserWarning, match=r"flow\.json has no expressions and row conditions, .* --lineage-update adds them"
    ):
        lineage(other, folder=tmp_path).assert_golden("flow")
    lineage(flow, folder=tmp_path, is_updating=True).assert_golden("flow")
    with pytest.raises(AssertionError, match=r"\+     sales\.report\.total = max\(amount\)"):
        lineage(other, folder=tmp_path).assert_golden("flow")


def test_folders_in_row_conditions_are_replaced(tmp_path: Path) -> None:
    decided = replace(FLOW, decided_by=(path(f"file:{tmp_path}/control", "n"),))
    (flow,) = lineage(decided, folder=tmp_path).flows
    assert flow.rows == "Rows decided by values that were read from {tmp_path}/control."


def test_golden_file_lists_deciding_datasets(tmp_path: Path) -> None:
    decided = replace(FLOW, decided_by=(table("control"),))
    assert golden(decided, tmp_path)["decided_by"] == ["sales.control"]
    with pytest.raises(AssertionError, match=r"\n-     decided by values of sales\.control\n"):
        lineage(FLOW, folder=tmp_path).assert_golden("flow")


def test_reports_a_write_without_lineage(tmp_path: Path) -> None:
    now = stats_of_none(None, {})
    now["completeness"]["reasons"] = {"sink not understood: com.example.Sink": 2, UNKNOWN: 1}
    seen = lineage(FLOW, now=now, folder=tmp_path, is_updating=True)
    with pytest.raises(
        AssertionError, match=r"\n\nwrites without lineage:\n  sink not understood: com\.example\.Sink: 2$"
    ):
        seen.assert_flow(inputs=[], output="mystery")
    with pytest.warns(UserWarning, match=r"^the lineage of this test is incomplete: sink .*Sink, 2 times \(docs"):
        seen.assert_golden("flow")


def test_a_folder_whose_name_changes_from_run_to_run(tmp_path: Path) -> None:
    """Use a `tmp_path` with a date among the parameters; datasets are named without partitions, dates and part files."""
    folder = tmp_path / "test_day_2026_11_20_0"
    orders, report = (
        path(f"file:{tmp_path}/test_day_{{date}}_0/orders", "a"),
        path(f"file:{tmp_path}/test_day_{{date}}_0", "a"),
    )
    seen = lineage(process([orders], [report]), folder=folder)
    assert seen.flows[0].inputs == ("{tmp_path}/orders",)
    for named in (folder / "orders", f"file://{folder}/orders/2026-11-20", folder / "orders" / "day=1", "orders"):
        seen.assert_flow(inputs=[named], output=folder / "day=2026-11-20")
    with pytest.raises(AssertionError, match=r"^\{tmp_path\}/other was not written in this test"):
        seen.inputs(folder / "other")


def test_a_temporary_folder_of_python() -> None:
    shortening = Shortening({"{work}": Path("/tmp/tmpab12cd34")})
    for name, short in (("", ""), ("/out", "/out"), ("/out/dt=1", "/out"), ("/2026-11-21/x", "/{date}/x")):
        assert shortening.root(f"file:/tmp/tmpab12cd34{name}") == f"{{work}}{short}"


def test_golden_files(tmp_path: Path) -> None:
    written: list[Path] = []
    with pytest.raises(
        AssertionError, match=r"the golden file .*flow\.json does not exist: run pytest --lineage-update"
    ):
        lineage(FLOW, folder=tmp_path).assert_golden("flow")
    for _ in range(2):  # unchanged the second time
        lineage(FLOW, folder=tmp_path, is_updating=True, written=written.append).assert_golden("flow")
    assert written == [tmp_path / "lineage" / "flow.json"]
    lineage(FLOW, FLOW, folder=tmp_path).assert_golden("flow")
    other = lineage(process([ORDERS], [REPORT], FLOW.columns[:1]), folder=tmp_path)
    assert failure(lambda: other.assert_golden("flow"))[3:] == [
        "",
        "- sales.orders, sales.people ──▶ sales.report",
        "+ sales.orders ──▶ sales.report",
        "      sales.report.total ◀─ sales.orders.amount",
        "-     sales.report.n ◁┄ sales.orders.id",
        "-     sales.report.one = 1",
    ]


def test_a_golden_file_of_nothing_is_never_written(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no lineage was captured"):
        lineage(folder=tmp_path, is_updating=True).assert_golden("flow")
    assert not (tmp_path / "lineage").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"flows": [{"inputs": 5}]}', '{"flows": 5}', "[" * 100_000])
def test_rejects_an_invalid_golden_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "lineage").mkdir()
    (tmp_path / "lineage" / "flow.json").write_text(text)
    with pytest.raises(LineageTestError, match=r"flow\.json is not a valid golden file \(\w+\): delete it"):
        lineage(FLOW, folder=tmp_path).assert_golden("flow")


@pytest.mark.parametrize("name", ["", "a/b", "../x", "a\\b", ".x", "a\nb", "x" * 201, "é" * 150, "\ud800/"])
def test_golden_name_must_be_a_file_name(name: str) -> None:
    with pytest.raises(LineageTestError, match="must be the name of a file, without folders"):
        lineage(FLOW).assert_golden(name)


def test_a_golden_file_may_be_edited_by_people(tmp_path: Path) -> None:
    lineage(FLOW, folder=tmp_path, is_updating=True).assert_golden("flow")
    file = tmp_path / "lineage" / "flow.json"
    document = json.loads(file.read_text("utf-8"))
    document["flows"][0]["inputs"].reverse()
    file.write_text(json.dumps(document), "utf-8")
    lineage(FLOW, folder=tmp_path).assert_golden("flow")
    document["flows"][0]["inputs"] = "sales.orders"
    file.write_text(json.dumps(document), "utf-8")
    with pytest.raises(LineageTestError, match=r"flow\.json is not a valid golden file \(TypeError\)"):
        lineage(FLOW, folder=tmp_path).assert_golden("flow")
    file.write_bytes(b"\xff\xfe")
    lineage(FLOW, folder=tmp_path, is_updating=True).assert_golden("flow")
    lineage(FLOW, folder=tmp_path).assert_golden("flow")


def test_two_tests_cannot_have_one_golden_file(tmp_path: Path) -> None:
    texts: dict[Path, str] = {}
    other = process([ORDERS], [REPORT])

    def updating(*processes: Process) -> Lineage:
        golden = GoldenFiles(tmp_path, is_updating=True, written=print, texts=texts)
        return Lineage(_Seen(processes), Shortening({}), golden, "spark")

    for _ in range(2):  # such as the cases of a parametrised test
        updating(FLOW).assert_golden("flow")
    with pytest.raises(
        LineageTestError,
        match=r"flow\.json was already written in this run with different lineage: use a different name",
    ):
        updating(other).assert_golden("flow")
    lineage(FLOW, folder=tmp_path).assert_golden("flow")


def test_reports_an_unusable_golden_file(tmp_path: Path) -> None:
    (tmp_path / "lineage" / "flow.json").mkdir(parents=True)
    with pytest.raises(LineageTestError, match=r"flow\.json cannot be read: Is a directory"):
        lineage(FLOW, folder=tmp_path).assert_golden("flow")
    with pytest.raises(LineageTestError, match=r"flow\.json cannot be written: Is a directory"):
        lineage(FLOW, folder=tmp_path, is_updating=True).assert_golden("flow")


def test_only_differences_of_a_large_golden_file_are_shown(tmp_path: Path) -> None:
    def copied(count: int, last: str) -> Process:
        names = [f"c{i:04}" for i in range(count)]
        wide = table("wide", *names)
        sources = dict.fromkeys(names, "amount") | {names[-1]: last}
        return process(
            [ORDERS],
            [wide],
            [
                ColumnLineage(
                    dataset=wide.key, column=name, sources=(ColumnSource(ORDERS.key, source, Dependency.IDENTITY),)
                )
                for name, source in sources.items()
            ],
        )

    def comparing(count: int) -> Callable[[], None]:
        lineage(copied(count, "amount"), folder=tmp_path, is_updating=True).assert_golden(f"wide{count}")
        other = lineage(copied(count, "id"), folder=tmp_path)

        def call() -> None:
            last = count - 1
            assert failure(lambda: other.assert_golden(f"wide{count}"))[4:] == [
                "  sales.orders ──▶ sales.wide",
                "  …",
                *(f"      sales.wide.c{i:04} ◀─ sales.orders.amount" for i in range(last - 3, last)),
                f"-     sales.wide.c{last:04} ◀─ sales.orders.amount",
                f"+     sales.wide.c{last:04} ◀─ sales.orders.id",
            ]

        call()
        return call

    assert_linear(comparing, 50)


def test_differences_are_found_in_linear_time() -> None:
    def flow(count: int, last: str) -> Flow:
        columns = {f"c{i:04}": ("amount",) for i in range(count)} | {f"c{count - 1:04}": (last,)}
        return Flow(("sales.orders",), ("sales.wide",), columns, {})

    def compare(count: int) -> Callable[[], object]:
        return lambda: other_than_golden(Path("wide.json"), [flow(count, "amount")], [flow(count, "id")])

    assert_linear(compare, 100)


def test_names_do_not_steer_the_terminal() -> None:
    evil = path("file:/\x1b[2J\u202eevil\n", "a")
    text = "".join(failure(lambda: lineage(process([evil], [REPORT])).assert_flow(inputs=["x"], output="report")))
    assert "file:/\\x1b[2J\\u202eevil\\n" in text
    assert not {"\x1b", "\u202e"} & set(text)


@pytest.mark.slow
def test_many_flows_are_shown_in_part() -> None:
    def many(count: int) -> Callable[[], None]:
        seen = lineage(*(process([ORDERS], [path(f"file:/out{i}", "a")], job=f"job {i}") for i in range(count)))

        def call() -> None:
            with pytest.raises(AssertionError, match=f"… and {count - 20} more flows"):
                seen.inputs(Text("x" * 100 * count))

        return call

    assert_linear(many, 25)


def test_golden_files_have_readable_text(tmp_path: Path) -> None:
    lineage(process([table("名")], [REPORT]), folder=tmp_path, is_updating=True).assert_golden("名")
    text = (tmp_path / "lineage" / "名.json").read_text("utf-8")
    assert '"sales.名"' in text
    assert json.loads(text)["flows"][0]["outputs"] == ["sales.report"]
