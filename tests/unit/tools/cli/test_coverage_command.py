"""`sac-kafka coverage`: tables and JSON for messages, older messages, and the whole case suite counted by hand."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from sac_kafka.atlas.wire.reader import read
from sac_kafka.hook.recording import Recording
from sac_kafka.hook.recording import replay as replayed
from sac_kafka.model import Process
from sac_kafka.settings import Settings
from sac_kafka.tools.cli.coverage import NO_COLUMNS_REPORTED, NO_JOB, coverage_of, final_write_counts
from sac_kafka.tools.cli.main import main
from sac_kafka.tools.graph.graph import graph_of
from sac_kafka.tools.messages.state import ServerState
from tests.cases.batches import BATCHES, owed
from tests.cases.expected import expected
from tests.helpers.live_runs import APPLICATION
from tests.unit.atlas.flows import ORDERS, TOTALS, copy, messages_for, path, process, table
from tests.unit.tools.cli.conftest import Cli

UNKNOWN = "relation not understood: org.example.Mystery"
RDD = "columns not known: the rows were made by an RDD's functions"


def file_of(tmp_path: Path, values: Iterable[str]) -> str:
    file = tmp_path / "lineage.jsonl"
    file.write_text("".join(f"{value}\n" for value in values))
    return str(file)


def messages(*parse_message: Process) -> list[str]:
    return [message.value for each in parse_message for message in messages_for(each)]


def an_end(job: str, reasons: dict[str, int]) -> str:
    """Return the last message of an application."""
    entity = {
        "typeName": "spark_application",
        "guid": "-1",
        "attributes": {"qualifiedName": f"{job}@prod", "name": job},
        "customAttributes": {"lineage": "partial", "writes": "9", "writes_not_complete": json.dumps(reasons)},
    }
    body = {"type": "ENTITY_CREATE_V2", "user": "alice", "entities": {"entities": [entity]}}
    version = {"version": "1.0.0", "versionParts": [1]}
    return json.dumps(
        {"version": version, "msgCompressionKind": "NONE", "msgSplitIdx": 1, "msgSplitCount": 1, "message": body}
    )


NEWS = (
    copy(ORDERS, TOTALS),
    replace(copy(ORDERS, path("hdfs://nn1/a", "id")), gaps=(RDD,)),
    replace(copy(ORDERS, path("hdfs://nn1/b", "id"), job="other"), gaps=(UNKNOWN, RDD)),
    process([], [path("hdfs://nn1/values", "id")], job="other"),
    replace(copy(ORDERS, table("v", "id", table_type="VIEW")), defines_view=True),
)


def test_flows_are_counted_by_job_and_reason(tmp_path: Path, cli: Cli) -> None:
    end = an_end("other", {"sink not understood: org.example.Sink": 2, RDD: 7})
    assert cli("coverage", file_of(tmp_path, [*messages(*NEWS), end])).text(0).splitlines() == [
        "flows  with tables  with columns  job",
        "    2    2 (100 %)      1 (50 %)  daily load",
        "    4     1 (25 %)      1 (25 %)  other",
        "    6     3 (50 %)      2 (33 %)  all",
        "",
        "2  sink not understood: org.example.Sink",
        "1  " + RDD,
        "1  " + UNKNOWN,
    ]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["coverage"], "topic, spool or server"),
        (["view"], "topic, spool or server"),
        (["impact", "sales.orders"], "topic, spool or server"),
        (["diff", "-"], "topic, spool or server"),
        (["cost"], "topic or spool"),
    ],
)
def test_missing_file_error_lists_the_possible_sources(
    command: list[str], words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main([command[0], "nowhere.jsonl", *command[1:]]) == 2
    assert capsys.readouterr().err.endswith(
        f"nowhere.jsonl: No such file or directory; name a file of messages, a spool directory, {words}\n"
    )
    with pytest.raises(SystemExit):
        main([command[0], "--help"])
    assert f"the word {words} for the configured one" in " ".join(capsys.readouterr().out.split())


def test_last_message_of_a_flow_counts(tmp_path: Path, cli: Cli) -> None:
    flow = copy(ORDERS, TOTALS)
    found = cli("coverage", file_of(tmp_path, messages(replace(flow, gaps=(UNKNOWN,)), flow)), "--json").json(0)
    assert (found["flows"], found["percent_with_column_lineage"], found["reasons"]) == (1, 100.0, {})
    assert found["jobs"] == {"daily load": {key: value for key, value in found.items() if key != "jobs"}}


def test_messages_of_an_older_hook_count_by_their_columns(tmp_path: Path, cli: Cli) -> None:
    cut = replace(copy(ORDERS, path("hdfs://nn1/a", "id")), columns=(), columns_omitted="more than 3 nodes")
    bare = replace(copy(ORDERS, path("hdfs://nn1/b", "id")), columns=())
    ruled = replace(copy(ORDERS, path("hdfs://nn1/c", "id")), inputs_excluded=1)
    old = [
        text.replace(r"\"lineage\"", r"\"x\"").replace('"lineage":', '"x":')
        for text in messages(NEWS[0], NEWS[3], cut, bare, ruled)
    ]
    found = cli("coverage", file_of(tmp_path, old), "--json").json(0)
    assert (found["flows"], found["with_table_lineage"], found["with_column_lineage"]) == (5, 4, 2)
    assert found["reasons"] == {
        NO_COLUMNS_REPORTED: 1,
        "column lineage omitted: more than 3 nodes": 1,
        "inputs excluded by rules": 1,
    }
    assert NO_JOB not in found["jobs"]


def test_the_answer_is_no(tmp_path: Path, capsys: pytest.CaptureFixture[str], cli: Cli) -> None:
    file = file_of(tmp_path, messages(*NEWS))
    assert main(["coverage", file, "--fail-under", "50"]) == 0
    assert main(["coverage", file, "--fail-under", "50.1"]) == 1
    assert "fewer than 50.1 % of the flows have column lineage" in capsys.readouterr().err
    assert cli("coverage", file_of(tmp_path, []))[::2] == (
        2,
        f"sac-kafka coverage: {file} has no flows; --allow-empty accepts that\n",
    )


def test_percentages_without_flows_are_null(tmp_path: Path, cli: Cli) -> None:
    found = cli("coverage", file_of(tmp_path, []), "--json", "--allow-empty", "--fail-under", "50").json(0)
    assert (found["flows"], found["percent_with_table_lineage"], found["percent_with_column_lineage"]) == (
        0,
        None,
        None,
    )


@pytest.mark.parametrize("text", ['{"writes": [' * 3000, '"writes" and nothing', "[" * 90_000])
def test_hostile_lines_are_counted_and_passed_over(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    end = an_end("daily load", {}).replace('"{}"', '"[1]"')
    assert main(["coverage", file_of(tmp_path, [text, *messages(NEWS[0]), end]), "--json"]) == 0
    found = capsys.readouterr()
    assert json.loads(found.out)["flows"] == 1
    assert "1 message of " in found.err


def processes_deleted(values: list[str]) -> set[str]:
    found = [json.loads(value)["message"] for value in values]
    return {
        entity["uniqueAttributes"]["qualifiedName"]
        for message in found
        if message["type"] == "ENTITY_DELETE_V2"
        for entity in message["entities"]
        if entity["typeName"] == "spark_process"
    }


@pytest.mark.slow
@pytest.mark.parametrize("share", [6, pytest.param(1, marks=pytest.mark.full)])
def test_case_suite_matches_counts_by_hand(share: int) -> None:
    """Count by hand: each header of an expectation is a flow, equal headers are one; complete without `(missing)` below it.

    A flow that a later statement of the case replaces is not counted. Everyday tests run one case of six.
    """
    settings = Settings.read({"atlas.metadata.namespace": "test"}, "test")
    flows, wrong = 0, []
    for batch in sorted((BATCHES / owed()[-1]).glob("*.txt"))[::share]:
        values = [message.value for message in replayed(Recording(APPLICATION, batch.read_text("utf-8")), settings)]
        state = ServerState(read(value).notification for value in values)
        unreported = dict(filter(None, map(final_write_counts, state.applications())))
        total = coverage_of(graph_of(state.items()), unreported).total
        by_hand: dict[str, bool] = {}
        header = None
        for line in expected(batch.stem):
            if " <= " in line and not line.startswith((" ", "view ")):
                header = line
                by_hand[header] = True
            elif not line.startswith(" "):
                header = None
            elif line.startswith("  (missing)") and header is not None:
                by_hand[header] = False
        flows += len(by_hand)
        without = sum(n for reason, n in total["reasons"].items() if reason.startswith("command not understood"))
        replaced = len(processes_deleted(values))
        if replaced and total["writes"] + replaced >= len(by_hand) + without:
            continue
        if (total["writes"], total["with_column_lineage"]) != (len(by_hand) + without, sum(by_hand.values())):
            wrong.append((batch.stem, total, by_hand))
    assert wrong == []
    assert flows > 400 / share
