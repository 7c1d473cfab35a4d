"""What became of what was sent (docs/landed.md): names of messages, a small server's answers, waiting, how each end is told."""

from __future__ import annotations

import json
import threading
import urllib.parse
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.notification import EntityDelete, EntityPartialUpdate
from sac_kafka.atlas.sent_names import SentEntity, SentNames
from sac_kafka.cli.main import main
from sac_kafka.errors import ConfigurationError
from sac_kafka.landing.landed import Landed, Landing, look_up
from sac_kafka.landing.of_hook import landed_of
from sac_kafka.landing.server import NO_ADDRESS, CatalogServer
from sac_kafka.settings import Settings
from sac_kafka.settings.rest import Rest
from tests.atlas.flows import APPLICATION, NOW, ORDERS, TOTALS, copy, say

FLOW = copy(ORDERS, TOTALS)
METRICS = "lastMessageProcessedTime"


class FakeAtlas:
    """Answers as Atlas does of the entities that it is given: name to what of the answer is not ordinary."""

    def __init__(self) -> None:
        self.there: dict[str, dict[str, object]] = {}
        self.types = {"spark_process", "spark_application", "spark_table", "spark_db", "spark_storagedesc", "hdfs_path"}
        self.taken_ms: int | None = None
        self.status = 200
        self.asked = 0
        self.later: dict[int, str] = {}  # what comes with the nth question

        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked += 1
                outer.there.update({outer.later[outer.asked]: {}} if outer.asked in outer.later else {})
                status, found = outer.answer(self.path)
                body = json.dumps(found).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path: str) -> tuple[int, object]:
        if self.status != 200:
            return self.status, {}
        if path.endswith("/admin/metrics"):
            topic = {} if self.taken_ms is None else {METRICS: self.taken_ms}
            return 200, {"general": {"Notification:topicDetails": {"ATLAS_HOOK-0": topic, "OTHER-0": {METRICS: 9**15}}}}
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
    fake = FakeAtlas()
    yield fake
    fake.server.shutdown()
    fake.server.server_close()


def sent(flow: object = FLOW) -> SentNames:
    names = SentNames()
    for message in say(flow):  # type: ignore[arg-type]
        assert message.notification is not None
        names.take(message.notification, NOW)
    return names


def landed(atlas: FakeAtlas, names: SentNames, seconds: float = 0.0) -> Landed:
    return landed_of(Settings.read({"atlas.rest.address": atlas.address}, "test"), names, seconds)


def everything(names: SentNames) -> dict[str, dict[str, object]]:
    return {id_.qualified_name: {} for id_ in names.sent}


def test_what_messages_tell_of_is_looked_up_but_columns() -> None:
    names = sent().sent
    types = {id_.type_name for id_ in names}
    assert types == {"spark_db", "spark_table", "spark_storagedesc", "hdfs_path", "spark_application", "spark_process"}
    (process,) = (each for id_, each in names.items() if id_.type_name == "spark_process")
    assert process == SentEntity(NOW, APPLICATION.application_id)


def test_what_was_deleted_or_renamed_is_not_looked_for_any_more() -> None:
    names = sent()
    table = next(id_ for id_ in names.sent if id_.type_name == "spark_table")
    names.take(EntityPartialUpdate(id=table, attributes={"qualifiedName": "sales.newer@prod"}), NOW)
    assert table not in names.sent
    assert AtlasObjectId("spark_table", "sales.newer@prod") in names.sent
    names.take(EntityDelete(ids=tuple(names.sent)), NOW)
    assert names.sent == {}


def test_names_are_bounded_and_what_is_over_is_told(atlas: FakeAtlas) -> None:
    names = SentNames(most=2)
    for message in say(FLOW):
        assert message.notification is not None
        names.take(message.notification, NOW)
    assert len(names.sent) == 2
    assert names.left_out >= 4
    atlas.there = everything(names)
    found = landed(atlas, names)
    assert not found
    assert found.problem == f"{names.left_out} more were not looked up"


def test_all_is_stored(atlas: FakeAtlas) -> None:
    names = sent()
    atlas.there = everything(names)
    found = landed(atlas, names)
    assert found
    assert len(found.names(Landing.STORED)) == len(names.sent) == atlas.asked


def test_each_other_end_is_told_apart(atlas: FakeAtlas) -> None:
    names = sent()
    by_type = {id_.type_name: id_.qualified_name for id_ in names.sent}
    atlas.there = everything(names)
    atlas.there[by_type["spark_table"]] = {"isIncomplete": True}
    atlas.there[by_type["spark_process"]] = {"customAttributes": {"application_id": "application_1"}}
    atlas.there[by_type["spark_db"]] = {"status": "DELETED"}
    atlas.types.remove("hdfs_path")
    del atlas.there[by_type["spark_storagedesc"]]
    ends = {
        by_type["spark_table"]: (Landing.SHELL, "only referred to"),
        by_type["hdfs_path"]: (Landing.REFUSED, "the server has no type hdfs_path"),
    }
    for taken_ms, landing, word in (
        (None, Landing.WAITING, "the server is behind, or has refused it"),
        (NOW - 90_000, Landing.WAITING, "its last message was at 2026-11-20T09:10:12Z, 90 s before this one"),
        (NOW + 1, Landing.REFUSED, "although the server has taken messages since"),
    ):
        atlas.taken_ms = taken_ms
        found = {each.name: each for each in landed(atlas, names).entities if each.landing is not Landing.STORED}
        more = dict.fromkeys((by_type[t] for t in ("spark_process", "spark_db", "spark_storagedesc")), (landing, word))
        assert found.keys() == {**ends, **more}.keys()
        for name, (expected, words) in {**ends, **more}.items():
            assert found[name].landing is expected
            assert words in found[name].why
    assert "as of run application_1, not of" in found[by_type["spark_process"]].why


def test_what_comes_while_it_waits_is_stored(atlas: FakeAtlas) -> None:
    names = sent()
    last = list(names.sent)[-1].qualified_name
    atlas.there = {name: {} for name in everything(names) if name != last}
    atlas.later = {len(names.sent) + 2: last}
    assert landed(atlas, names, 10)
    assert atlas.asked == len(names.sent) + 2  # only what was missing was asked for again


def test_a_run_is_known_by_the_details_where_a_server_keeps_no_custom_attributes(atlas: FakeAtlas) -> None:
    names = sent()
    process = next(id_.qualified_name for id_ in names.sent if id_.type_name == "spark_process")
    for run, is_stored in ((APPLICATION.application_id, True), ("application_1", False)):
        details = json.dumps({"application_id": run})
        atlas.there = {**everything(names), process: {"attributes": {"details": details}}}
        assert bool(landed(atlas, names)) is is_stored


@pytest.mark.parametrize(
    ("status", "word"), [(401, "the log-in is missing or refused"), (500, "no answer of an Atlas server")]
)
def test_a_server_that_refuses_is_a_problem_and_no_error(atlas: FakeAtlas, status: int, word: str) -> None:
    atlas.status = status
    found = landed(atlas, sent())
    assert not found
    assert word in (found.problem or "")


def test_without_an_address_it_says_what_to_set() -> None:
    assert landed_of(Settings.read({}, "test"), sent(), 0).problem == NO_ADDRESS
    with pytest.raises(ConfigurationError, match="holds a user name or password"):
        CatalogServer.of(replace(Rest(), address="http://alice:secret@atlas:21000"), 1)


def test_nobody_there() -> None:
    found = landed_of(Settings.read({"atlas.rest.address": "http://127.0.0.1:9"}, "test"), sent(), 0)
    assert "check the address and that the server runs" in (found.problem or "")


def test_nothing_sent_is_nothing_missing() -> None:
    assert look_up(CatalogServer.of(replace(Rest(), address="http://127.0.0.1:9"), 1), {}, 0)


# ---- the command


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    file = tmp_path / "messages.jsonl"
    file.write_text("".join(f"{message.value}\n" for message in say(FLOW)))
    return file


def test_the_command_says_what_is_missing_by_name(
    atlas: FakeAtlas, messages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = everything(sent())
    atlas.there = dict(names)
    command = ["landed", str(messages), "--conf", f"atlas.rest.address={atlas.address}"]
    assert main(command) == 0
    assert capsys.readouterr().out == "6 of 6 entities stored\n"
    process = next(name for name in names if name.startswith("daily load:"))
    del atlas.there[process]
    atlas.taken_ms = NOW - 1000
    assert main(command) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"waiting  spark_process {process}: not there: the server is behind")
    assert last == "5 of 6 entities stored"
    log = tmp_path / "failed.log"
    log.write_text(f"2026-11-20 09:11:42 [DROPPED_NOTIFICATION] {messages.read_text()}nonsense\n")
    assert main([*command, "--failed-log", str(log), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["stored"], found["refused"], found["waiting"]) == (5, 1, 0)
    assert found["entities"][-1]["why"] == "it stands in the server's log of failed messages"


def test_the_command_says_what_it_cannot_do(messages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["landed", str(messages)]) == 2
    assert NO_ADDRESS in capsys.readouterr().err
    (tmp_path / "empty").touch()
    address = ["--conf", "atlas.rest.address=http://127.0.0.1:9"]
    assert main(["landed", str(tmp_path / "empty"), *address]) == 1
    assert "tells of nothing that could be looked up" in capsys.readouterr().err
    assert main(["landed", str(messages), *address, "--failed-log", str(tmp_path / "none")]) == 2
    assert "No such file or directory; name the failed.log of Atlas" in capsys.readouterr().err
