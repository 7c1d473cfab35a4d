"""Verification of sent messages (docs/verify.md): names, answers of a small server, waiting, and every result."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.notification import EntityDelete, EntityPartialUpdate
from sac_kafka.atlas.sent_names import Sending, SentEntity, SentNames, TopicPlace
from sac_kafka.catalog.entities import EntityState, Progress, explain_missing
from sac_kafka.catalog.server import NO_ADDRESS, server_of
from sac_kafka.catalog.verification import Verification, verify, verify_sent
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.settings.rest import Rest
from sac_kafka.stages.output import Position
from sac_kafka.tools.cli.main import main
from sac_kafka.transport.base import Failure, FailureKind, MessageKind, Record
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool.spool import Spool
from tests.helpers.loopback_server import HttpRequest, LoopbackServer, Reply
from tests.helpers.spool_options import options_in
from tests.unit.atlas.flows import APPLICATION, NOW, ORDERS, TOTALS, copy, messages_for
from tests.unit.tools.cli.small_servers import answers, server
from tests.unit.tools.verification.sender import Sender

FLOW = copy(ORDERS, TOTALS)
METRICS, OFFSET = "lastMessageProcessedTime", "offsetCurrent"
MADE = Sending(made_ms=NOW)


class FakeAtlas(LoopbackServer):
    """Answer as Atlas does for the given entities: name to the unusual parts of the answer."""

    def __init__(self) -> None:
        super().__init__()
        self.there: dict[str, dict[str, object]] = {}
        self.types = {"spark_process", "spark_application", "spark_table", "spark_db", "spark_storagedesc", "hdfs_path"}
        self.taken_ms: int | None = None
        self.read: int | None = None
        self.topic = "ATLAS_HOOK"
        self.status = 200
        self.request_count = 0
        self.later: dict[int, str] = {}  # what arrives with the nth request

    def reply(self, request: HttpRequest) -> Reply:
        self.request_count += 1
        if self.request_count in self.later:
            self.there[self.later[self.request_count]] = {}
        status, found = self.answer(request.path)
        return status, {}, json.dumps(found).encode()

    def answer(self, path: str) -> tuple[int, object]:
        if self.status != 200:
            return self.status, {}
        if path.endswith("/admin/metrics"):
            topic = {METRICS: self.taken_ms, OFFSET: self.read}
            known = {key: value for key, value in topic.items() if value is not None}
            others = {key: {METRICS: 9**15, OFFSET: 10**6} for key in ("OTHER-0", "ATLAS_HOOK_2-0", "ATLAS_HOOK-x")}
            return 200, {"general": {"Notification:topicDetails": {f"{self.topic}-0": known, **others}}}
        parts = urllib.parse.urlsplit(path)
        type_name = parts.path.rpartition("/")[2]
        (name,) = urllib.parse.parse_qs(parts.query)["attr:qualifiedName"]
        if type_name not in self.types:
            return 404, {"errorCode": "ATLAS-404-00-001", "errorMessage": f"Given typename {type_name} was invalid"}
        if name not in self.there:
            return 404, {"errorCode": "ATLAS-404-00-009", "errorMessage": f"Instance {name} does not exist"}
        return 200, {"entity": {"status": "ACTIVE", "attributes": {"qualifiedName": name}, **self.there[name]}}


@pytest.fixture
def atlas() -> Iterator[FakeAtlas]:
    with FakeAtlas() as fake:
        yield fake


def sent(flow: object = FLOW) -> SentNames:
    names = SentNames()
    for message in messages_for(flow):  # type: ignore[arg-type]
        assert message.notification is not None
        names.add(message.notification, MADE)
    return names


def verified(atlas: FakeAtlas, names: SentNames, seconds: float = 0.0, sender: Sender | None = None) -> Verification:
    keys = {"atlas.rest.address": atlas.address, "atlas.hook.spark.rest.timeout.seconds": "60"}
    settings = Settings.read(keys, "test")
    return verify_sent(settings, names, sender or Sender(), seconds)


def everything(names: SentNames) -> dict[str, dict[str, object]]:
    return {id_.qualified_name: {} for id_ in names.sent}


def test_entities_of_messages_are_looked_up_except_columns() -> None:
    names = sent().sent
    types = {id_.type_name for id_ in names}
    assert types == {"spark_db", "spark_table", "spark_storagedesc", "hdfs_path", "spark_application", "spark_process"}
    (process,) = (each for id_, each in names.items() if id_.type_name == "spark_process")
    assert process == SentEntity(MADE, APPLICATION.application_id)


def test_deleted_or_renamed_entities_are_not_looked_up() -> None:
    names = sent()
    table = next(id_ for id_ in names.sent if id_.type_name == "spark_table")
    names.add(EntityPartialUpdate(id=table, attributes={"qualifiedName": "sales.newer@prod"}), MADE)
    assert table not in names.sent
    assert AtlasObjectId("spark_table", "sales.newer@prod") in names.sent
    names.add(EntityDelete(ids=tuple(names.sent)), MADE)
    assert names.sent == {}


def test_names_are_bounded_and_the_excess_is_reported(atlas: FakeAtlas) -> None:
    names = SentNames(max_names=2)
    for message in messages_for(FLOW):
        assert message.notification is not None
        names.add(message.notification, MADE)
    assert len(names.sent) == 2
    assert names.omitted >= 4
    atlas.there = everything(names)
    found = verified(atlas, names)
    assert not found
    assert found.problem == f"{names.omitted} more were not looked up"


def test_all_is_stored(atlas: FakeAtlas) -> None:
    names = sent()
    atlas.there = everything(names)
    found = verified(atlas, names)
    assert found
    assert len(found.names(EntityState.STORED)) == len(names.sent) == atlas.request_count


def test_each_result_is_distinguished(atlas: FakeAtlas) -> None:
    names = sent()
    by_type = {id_.type_name: id_.qualified_name for id_ in names.sent}
    atlas.there = everything(names)
    atlas.there[by_type["spark_table"]] = {"isIncomplete": True}
    atlas.there[by_type["spark_process"]] = {"customAttributes": {"application_id": "application_1"}}
    atlas.there[by_type["spark_db"]] = {"status": "DELETED"}
    atlas.types.remove("hdfs_path")
    del atlas.there[by_type["spark_storagedesc"]]
    ends = {
        by_type["spark_table"]: (EntityState.SHELL, "only a placeholder"),
        by_type["hdfs_path"]: (EntityState.REJECTED, "the server has no type hdfs_path: run sac-kafka types apply"),
    }
    for taken_ms, landing, word in (
        (None, EntityState.PENDING, "the server is behind, or has rejected it"),
        (NOW - 90_000, EntityState.PENDING, "its last message was at 2026-11-20T09:10:12Z, 90 s before this one"),
        (
            NOW + 1,
            EntityState.PENDING,
            "or has rejected it (see its failed.log); its last message was at 2026-11-20T09:11:42Z",
        ),
    ):
        atlas.taken_ms = taken_ms
        found = {each.name: each for each in verified(atlas, names).entities if each.state is not EntityState.STORED}
        more = dict.fromkeys((by_type[t] for t in ("spark_process", "spark_db", "spark_storagedesc")), (landing, word))
        assert found.keys() == {**ends, **more}.keys()
        for name, (expected, words) in {**ends, **more}.items():
            assert found[name].state is expected
            assert words in found[name].reason
    assert "found from run application_1, not from" in found[by_type["spark_process"]].reason


WEEK_MS = 7 * 86_400_000
LOG = "see its failed.log"


@pytest.mark.parametrize(
    ("sending", "progress", "why"),
    [
        (Sending(), Progress(NOW), f"the server is behind, or has rejected it ({LOG})"),
        (MADE, Progress(), f"the server is behind, or has rejected it ({LOG})"),
        # created long ago and replayed at an unknown time: neither weeks behind nor certainly rejected
        (
            Sending(made_ms=NOW - WEEK_MS),
            Progress(NOW),
            f"({LOG}); its last message was at 2026-11-20T09:11:42Z, and this one was created at 2026-11-13T09:11:42Z, sent "
            "at an unknown time",
        ),
        (Sending(made_ms=1), Progress(NOW), "this one was created at 1970-01-01T00:00:00Z, sent at an unknown time"),
        (Sending(made_ms=10**15 - 1), Progress(10**15), "was created at 999999999999999 ms since 1970"),
        # newer than all that the server can have taken
        (MADE, Progress(NOW - 2 * WEEK_MS), "the server is behind: its last message was at 2026-11-06"),
        (MADE, Progress(NOW - 2 * WEEK_MS), ", 14 days before this one was created"),
        (
            Sending(made_ms=NOW - WEEK_MS, sent_ms=NOW),
            Progress(NOW - 600_000),
            "the server is behind: its last message was at 2026-11-20T09:01:42Z, 10 min before this one was sent",
        ),
        # the server's clock gives the time at which it read a message, not which one
        (
            Sending(made_ms=NOW - WEEK_MS, sent_ms=NOW),
            Progress(NOW + 5000),
            f"({LOG}); its last message was at 2026-11-20T09:11:47Z, and this one was sent at 2026-11-20T09:11:42Z",
        ),
        # a position in the topic decides, whatever the clocks
        (
            Sending(made_ms=1, sent_ms=NOW, place=TopicPlace(0, 12)),
            Progress(NOW + 5000, {0: 10, 1: 99}),
            "the server is 3 messages behind in partition 0",
        ),
        (
            Sending(sent_ms=NOW, place=TopicPlace(0, 12)),
            Progress(NOW + 5000, {0: 12}),
            "the server is 1 message behind in partition 0",
        ),
        (
            Sending(sent_ms=NOW + WEEK_MS, place=TopicPlace(0, 12)),
            Progress(NOW, {0: 13}),
            f"although the server has consumed it (partition 0, offset 12): {LOG}",
        ),
        (Sending(sent_ms=NOW, place=TopicPlace(1, 12)), Progress(NOW - 1000, {0: 13}), "1 s before this one was sent"),
        (Sending(place=TopicPlace(0, 1), is_spooled=True), Progress(NOW, {0: 9}), "not all messages are sent"),
    ],
)
def test_reason_for_a_missing_entity_uses_known_facts_only(sending: Sending, progress: Progress, why: str) -> None:
    found, reason = explain_missing("not found", sending, progress)
    assert found is (EntityState.REJECTED if "has consumed it" in why else EntityState.PENDING)
    assert reason.startswith("not found")
    assert why in reason
    assert ("not known here" in reason) is (sending.sent_ms is None and "was made at" in reason)


def test_position_of_the_last_message_and_pending_records_count(atlas: FakeAtlas) -> None:
    names = sent()
    atlas.taken_ms = NOW + 5000
    at = Position("cluster/ATLAS_HOOK/0", 7, 9)
    for read, sender, landing, why in (
        (8, Sender(at=at), EntityState.PENDING, "the server is 1 message behind in partition 0"),
        (9, Sender(at=at), EntityState.REJECTED, "although the server has consumed it (partition 0, offset 8)"),
        (9, Sender(at=at, records=1), EntityState.PENDING, "not all messages are sent yet"),
        (9, Sender(at=at, in_flight=1), EntityState.PENDING, "not all messages are sent yet"),
        (9, Sender(), EntityState.PENDING, "sent at an unknown time"),
        (9, Sender(at=Position("/data/lineage.jsonl", 0, 3)), EntityState.PENDING, "sent at an unknown time"),
    ):
        atlas.read = read
        found = verified(atlas, names, sender=sender)
        assert {each.state for each in found.entities} == {landing}
        assert why in (found.problem or "")


def test_spooled_messages_are_not_sent(atlas: FakeAtlas, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (message, *_) = messages_for(FLOW)
    atlas.taken_ms, atlas.read = NOW + 5000, 10**6
    transport = MemoryTransport()
    transport.send = lambda _, outcome: outcome(Failure(FailureKind.TRANSIENT, "no broker"))  # type: ignore[method-assign]
    spool = Spool(transport, options_in(tmp_path), "application_7")
    spool.send(Record("ATLAS_HOOK", b"k", (message.value.encode(),), MessageKind.FLOW, NOW), lambda _: None)
    spool.close(0)
    assert main(["verify", str(tmp_path), "--conf", f"atlas.rest.address={atlas.address}"]) == 1
    lines = capsys.readouterr().out.splitlines()[:-1]
    assert lines
    assert all(": not found: not all messages are sent yet; see sac-kafka spool list" in each for each in lines)


def test_entity_that_arrives_during_the_wait_is_stored(atlas: FakeAtlas) -> None:
    names = sent()
    last = list(names.sent)[-1].qualified_name
    atlas.there = {name: {} for name in everything(names) if name != last}
    atlas.later = {len(names.sent) + 2: last}
    assert verified(atlas, names, 60)
    assert atlas.request_count == len(names.sent) + 2  # only missing entities were queried again


def test_a_run_is_known_by_the_details_where_a_server_keeps_no_custom_attributes(atlas: FakeAtlas) -> None:
    names = sent()
    process = next(id_.qualified_name for id_ in names.sent if id_.type_name == "spark_process")
    for run, is_stored in ((APPLICATION.application_id, True), ("application_1", False)):
        details = json.dumps({"application_id": run})
        atlas.there = {**everything(names), process: {"attributes": {"details": details}}}
        assert bool(verified(atlas, names)) is is_stored


@pytest.mark.parametrize(
    ("status", "word"),
    [(401, "HTTP 401: login missing: set atlas.rest.basic"), (500, "HTTP 500: server error")],
)
def test_a_server_that_refuses_is_a_problem_and_no_error(atlas: FakeAtlas, status: int, word: str) -> None:
    atlas.status = status
    found = verified(atlas, sent())
    assert not found
    assert word in (found.problem or "")


def test_without_an_address_the_error_names_the_setting() -> None:
    assert verify_sent(Settings.read({}, "test"), sent(), Sender(), 0).problem == NO_ADDRESS
    with pytest.raises(ConfigurationError, match="holds a user name or password"):
        server_of(replace(Rest(), address="http://alice:secret@atlas:21000"), 1)


def test_server_that_does_not_listen() -> None:
    found = verify_sent(Settings.read({"atlas.rest.address": "http://127.0.0.1:9"}, "test"), sent(), Sender(), 0)
    assert "nothing listens there: check host and port in atlas.rest.address" in (found.problem or "")


def test_without_messages_nothing_is_missing() -> None:
    assert verify(server_of(replace(Rest(), address="http://127.0.0.1:9"), 1), SentNames(), 0)


# ---- the command


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    file = tmp_path / "messages.jsonl"
    file.write_text("".join(f"{message.value}\n" for message in messages_for(FLOW)))
    return file


def test_command_names_missing_entities(
    atlas: FakeAtlas, messages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = everything(sent())
    atlas.there = dict(names)
    command = ["verify", str(messages), "--conf", f"atlas.rest.address={atlas.address}"]
    assert main(command) == 0
    assert capsys.readouterr().out == "6 of 6 entities stored\n"
    process = next(name for name in names if name.startswith("daily load:"))
    del atlas.there[process]
    atlas.taken_ms = NOW - 1000
    assert main(command) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"pending  spark_process {process}: not found: the server is behind")
    assert last == "5 of 6 entities stored"
    log = tmp_path / "failed.log"
    log.write_text(f"2026-11-20 09:11:42 [DROPPED_NOTIFICATION] {messages.read_text()}nonsense\n")
    assert main([*command, "--failed-log", str(log), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["stored"], found["rejected"], found["pending"]) == (5, 1, 0)
    assert found["entities"][-1]["reason"] == "listed in the server's failed.log"


def test_command_reports_its_errors(messages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(messages)]) == 2
    assert NO_ADDRESS in capsys.readouterr().err
    (tmp_path / "empty").touch()
    address = ["--conf", "atlas.rest.address=http://127.0.0.1:9"]
    assert main(["verify", str(tmp_path / "empty"), *address]) == 2
    assert "empty has no entities to verify; --allow-empty accepts that" in capsys.readouterr().err
    assert main(["verify", str(messages), *address, "--failed-log", str(tmp_path / "none")]) == 2
    assert "No such file or directory; name the failed.log of Atlas" in capsys.readouterr().err


@pytest.mark.parametrize("body", [b"", b"{}", b'{"status": "ok"}'])
def test_server_that_accepts_every_request_has_stored_nothing(body: bytes) -> None:
    with server(answers("200 OK", body)) as port:
        address = f"http://127.0.0.1:{port}"
        found = verify_sent(Settings.read({"atlas.rest.address": address}, "test"), sent(), Sender(), 0)
    assert not found
    assert "is this an Atlas server" in (found.problem or "")
