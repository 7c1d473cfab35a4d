"""`sac-kafka replay` of messages: of a file, spool or topic, unchanged, to another sink."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sac_kafka.atlas.wire.message import parts
from sac_kafka.hook.recording import recorded_application
from sac_kafka.tools.cli.main import main
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import APPLICATION
from tests.unit.tools.cli.conftest import Cli
from tests.unit.tools.cli.mock_topics import configured, put

GOLDEN = Path(__file__).parents[3] / "unit" / "atlas" / "golden"
FIRST, SECOND = (
    json.dumps(json.loads((GOLDEN / f"{name}.json").read_text()), separators=(",", ":"))
    for name in ("first_sight", "second_run")
)


@pytest.fixture(autouse=True)
def _without_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)


def to_file(folder: Path) -> list[str]:
    return ["--to", "file", "--to-conf", f"atlas.client.file.path={folder / 'out.jsonl'}"]


def sent(folder: Path) -> list[str]:
    return (folder / "out.jsonl").read_text().splitlines()


def test_from_a_file_to_a_file(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "x.jsonl").write_text(f"{FIRST}\n\n{SECOND}\n")
    delivered = f"sac-kafka replay: 2 messages delivered to file {tmp_path / 'out.jsonl'}\n"
    cli("replay", "x.jsonl", *to_file(tmp_path)).check(0, "", delivered)
    assert sent(tmp_path) == [FIRST, SECOND]


def test_parts_are_joined_and_split_again_for_the_sink(tmp_path: Path) -> None:
    cut = parts(FIRST, max_bytes=2000, compresses=True)
    (tmp_path / "x.jsonl").write_text("\n".join(each.decode() for each in cut))
    assert main(["replay", "x.jsonl", *to_file(tmp_path)]) == 0
    assert sent(tmp_path) == [FIRST]
    long = FIRST.replace("all orders", "all orders " * 2000)
    (tmp_path / "x.jsonl").write_text(long)
    (tmp_path / "out.jsonl").unlink()
    options = ["--to-conf", "atlas.notification.message.max.length.bytes=10000"]
    options += ["--to-conf", "atlas.notification.message.compression.enabled=false"]
    assert main(["replay", "x.jsonl", *to_file(tmp_path), *options]) == 0
    assert len(sent(tmp_path)) > 3
    assert max(map(len, sent(tmp_path))) <= 10_000


def test_foreign_letters_are_ascii_and_broken_messages_are_counted(tmp_path: Path, cli: Cli) -> None:
    foreign = FIRST.replace("alice", "älice")
    (tmp_path / "x.jsonl").write_text(f"{foreign}\n{{}}\n")
    errors = "1 message of x.jsonl could not be read; line 2: message.type is missing"
    cli("replay", "x.jsonl", *to_file(tmp_path)).check(1, "", errors)
    assert sent(tmp_path) == [FIRST.replace("alice", "\\u00e4lice")]


def test_since(tmp_path: Path) -> None:
    late = FIRST.replace("1795165902386", "1795165902999")
    (tmp_path / "x.jsonl").write_text(f"{FIRST}\n{late}\n")
    assert main(["replay", "x.jsonl", "--since", "2026-11-20T09:11:42.500Z", *to_file(tmp_path)]) == 0
    assert sent(tmp_path) == [late]


@pytest.mark.kafka
def test_from_a_topic_to_another_one_and_never_to_itself(cluster: str, tmp_path: Path, cli: Cli) -> None:
    put(cluster, "FROM", FIRST, SECOND)
    given = configured(tmp_path, cluster, "FROM")
    cli("replay", "topic", "--to", "kafka", *given).check(
        2, "", "the topic FROM is the source itself; name another topic with --to-conf"
    )
    other = ["--to-conf", "atlas.notification.hook.topic.name=OTHER"]
    assert main(["replay", "topic", "--to", "kafka", *other, *given]) == 0
    found = [
        json.loads(line) for line in cli("tail", "--json", *configured(tmp_path, cluster, "OTHER")).text(0).splitlines()
    ]
    assert [(each["key"], each["place"][-8:], each["job"]) for each in found] == [
        ("app", "offset 0", "daily load"),
        ("app", "offset 1", "daily load"),
    ]


def test_a_batch_in_another_dialect(tmp_path: Path, cli: Cli) -> None:
    batch = (BATCHES / owed()[1] / "join.txt").read_text("utf-8")
    (tmp_path / "batch.txt").write_text(f"{recorded_application(APPLICATION)}\n{batch}", "utf-8")
    outputs = {}
    for dialect in ("atlas", "purview"):
        outputs[dialect] = cli("replay", "batch.txt", "--json", "--conf", f"atlas.hook.spark.dialect={dialect}").text(0)
        (tmp_path / dialect).write_text(outputs[dialect])
        assert cli("validate", dialect, "--dialect", dialect).text(0) == ""
    assert '"spark_process"' in outputs["atlas"]
    assert '"spark_process"' not in outputs["purview"]
