"""`sac-kafka emit`: files of flows, standard input and dbt's artifacts. The examples of docs/emit.md are run here."""

from __future__ import annotations

import io
import json
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from sac_kafka.emitting.session import close_all
from sac_kafka.hook.doors import flows
from tests.helpers.messages import messages_in, names
from tests.unit.tools.cli.conftest import Cli

ROOT = Path(__file__).parents[4]
DBT = ROOT / "tests" / "fixtures" / "dbt"
NAMESPACE = "duckdb:///project/shop.duckdb"
CONSOLE = ("--conf", "atlas.client.type=console")
TO_FILE = ("--conf", "atlas.client.type=file", "--conf", "atlas.client.file.path=sent.jsonl")
FLOW = {"job": "daily", "inputs": ["s3://raw/orders"], "outputs": ["sales.orders"], "columns": {"total": ["amount"]}}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    Path("flow.json").write_text(json.dumps(FLOW))
    yield
    close_all()  # while the folder is the current one


def test_a_file_is_drawn_on_the_console(cli: Cli) -> None:
    found = cli("emit", "flow.json", *CONSOLE)
    assert (found.status, found.err) == (0, "sac-kafka emit: 1 flow: 2 messages delivered\n")
    assert "s3://raw/orders/ ──▶ sales.orders" in found.out


@pytest.mark.parametrize("example", ["flows.toml", "datasets.toml"])
def test_the_examples_are_valid(cli: Cli, example: str) -> None:
    found = cli("emit", ROOT / "examples" / "emit" / example, *TO_FILE)
    assert (found.status, messages_in(Path("sent.jsonl")) != []) == (0, True), found


def test_the_example_of_pandas(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("atlas-application.properties").write_text("atlas.client.type=file\natlas.client.file.path=sent.jsonl\n")
    Path("orders.csv").write_text("country,amount\nNL,3\nDE,2\nNL,1\n")
    monkeypatch.setattr("sys.argv", ["pandas_job.py", "orders.csv", "revenue.csv"])
    runpy.run_path(str(ROOT / "examples" / "emit" / "pandas_job.py"), run_name="__main__")
    (flow,) = flows(Path("sent.jsonl").read_bytes().splitlines())
    assert len(flow.columns) == 2
    assert Path("revenue.csv").read_text() == "country,amount\nDE,2\nNL,3\n"


def test_standard_input_and_several_files(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps([FLOW, FLOW]).encode())))
    found = cli("emit", "-", "flow.json", "--json", *TO_FILE).json(0)
    assert found == {
        "flows": 3,
        "datasets": 0,
        "skipped": {},
        "messages": {"delivered": 4, "kept": 0, "lost": 0, "problem": None},
    }


def test_check_sends_nothing(cli: Cli) -> None:
    found = cli("emit", "flow.json", "--check")  # without a configuration
    assert (found.status, found.err) == (0, "sac-kafka emit: 1 flow: valid\n")
    assert not Path("sent.jsonl").exists()


def test_one_wrong_flow_and_nothing_is_sent(cli: Cli) -> None:
    Path("flows.json").write_text(json.dumps([FLOW, {"job": "b", "outputs": "orders"}]))
    found = cli("emit", "flow.json", "flows.json", *TO_FILE)
    assert found.status == 2
    assert "flows.json: flow 2: outputs: 'orders': a table needs its database" in found.err
    assert not Path("sent.jsonl").exists()


def test_the_flows_of_a_dbt_project(cli: Cli) -> None:
    found = cli("emit", "--dbt", DBT, "--dbt-namespace", NAMESPACE, *TO_FILE)
    assert found.status == 0
    assert found.err.startswith("sac-kafka emit: 6 flows, 2 datasets described, 1 models skipped, 2 results of seeds")
    applications = names(messages_in(Path("sent.jsonl")), "spark_application")
    assert "dbt model.shop.stg_orders@primary" in applications


def test_a_server_that_cannot_be_reached_is_a_negative_result(cli: Cli) -> None:
    found = cli(
        "emit",
        "flow.json",
        "--conf",
        "atlas.kafka.bootstrap.servers=127.0.0.1:9",
        "--conf",
        "atlas.hook.spool.dir=spool",
    )
    assert found.status == 1
    assert "1 flow: 2 messages kept in spool: nothing listens on the broker's port" in found.err
    assert [*Path("spool").glob("emit-*.avro")]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ((), "name a file of flows, - for standard input, or --dbt DIR"),
        (("flow.json", "--dbt", "target"), "name a file of flows, - for standard input, or --dbt DIR"),
        (("gone.toml",), "gone.toml: No such file or directory; name a file of flows"),
        (("--dbt", "gone"), "gone/manifest.json: No such file or directory; run dbt"),
    ],
)
def test_wrong_use(cli: Cli, words: tuple[str, ...], error: str) -> None:
    found = cli("emit", *words, *CONSOLE)
    assert (found.status, error in found.err) == (2, True), found
