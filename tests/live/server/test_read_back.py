"""Tools read the same from a real Atlas as from the messages that it got."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sac_kafka.atlas.wire.reader import read
from sac_kafka.catalog.server import Access, AtlasServer
from sac_kafka.hook.recording import Recording, replay
from sac_kafka.model import TopicDataset
from sac_kafka.settings import Settings
from sac_kafka.settings.classifications import Classification
from sac_kafka.settings.names import Names
from sac_kafka.tools.cli.main import main
from sac_kafka.tools.cli.server_lineage import read_lineage
from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.messages.state import ServerState
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import APPLICATION
from tests.live.server.live_atlas import RunningAtlas
from tests.unit.atlas.flows import CONTEXT, columns, copy, messages_for

pytestmark = [pytest.mark.atlas, pytest.mark.exhaustive]

ONE, OTHER = "readback1", "readback2"
"""Two namespaces, in which the same is called the same."""
BATCHES_OF = {ONE: ("join", "v2_written_after_changes"), OTHER: ("join", "table_changes")}
"""Rows that are joined; a table that is written, changed, renamed, written and dropped; one that is renamed and dropped."""
RENAMED_AND_DROPPED = "mem.db.moved"


def messages_of(namespace: str) -> list[str]:
    """Return what a job of recorded batches sends, with a flow from the other namespace into this one at its end."""
    settings = Settings(names=Names(namespace=namespace, namespace_is_default=False))
    text = "".join((BATCHES / owed()[-1] / f"{name}.txt").read_text("utf-8") for name in BATCHES_OF[namespace])
    sent = [message.value for message in replay(Recording(APPLICATION, text), settings)]
    of = {ONE: OTHER, OTHER: ONE}[namespace]
    there, here = (
        TopicDataset(topic="orders", servers=each, cluster=each, columns=columns("id", "amount"))
        for each in (of, namespace)
    )
    naming = replace(CONTEXT.naming, names=settings.names)
    return [*sent, *(message.value for message in messages_for(copy(there, here, job="copy"), naming=naming))]


@pytest.fixture(scope="module")
def sent(atlas_server: RunningAtlas) -> dict[str, list[str]]:
    mark = atlas_server.logs.mark()
    messages = {namespace: messages_of(namespace) for namespace in BATCHES_OF}
    atlas_server.send([each for of in messages.values() for each in of])
    atlas_server.assert_no_complaints(mark)
    return messages


def state(graph: LineageGraph) -> dict[str, object]:
    """Return all that is compared: a server has no order."""
    return {
        "datasets": {
            name: (each.type_name, sorted(each.columns), each.is_dropped) for name, each in graph.datasets.items()
        },
        "processes": {
            id_: (
                each.name,
                sorted(each.inputs),
                sorted(each.outputs),
                (each.job, each.rows),
            )
            for id_, each in graph.processes.items()
        },
        "rows": {id_: set(each.row_columns) for id_, each in graph.processes.items()},
        "columns": set(graph.column_edges()),
    }


def test_the_graph_of_the_server_equals_that_of_the_messages(
    atlas_server: RunningAtlas, sent: dict[str, list[str]]
) -> None:
    access = Access(addresses=(atlas_server.url,), user=atlas_server.user, password=atlas_server.password)
    server = AtlasServer(access)
    read_back = state(graph_of(ServerState(each for of in sent for each in read_lineage(server, of)).items()))
    messages = (read(message).notification for of in sent.values() for message in of)
    expected = state(graph_of(ServerState(messages).items()))
    for part, wanted in expected.items():
        assert read_back[part] == wanted
    names = read_back["datasets"]
    assert isinstance(names, dict)
    assert {f"{RENAMED_AND_DROPPED}@{ONE}", f"orders@{ONE}", f"orders@{OTHER}", f"cases.orders@{ONE}"} <= names.keys()
    assert names[f"{RENAMED_AND_DROPPED}@{ONE}"][2]


@pytest.fixture
def command_output(atlas_server: RunningAtlas, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, object]]:
    """Run a command under the configuration of the server; gives the status and its JSON."""
    conf = {
        "atlas.rest.address": atlas_server.url,
        "atlas.rest.basic.auth.username": atlas_server.user,
        "atlas.rest.basic.auth.password": atlas_server.password,
        "atlas.metadata.namespace": ONE,
    }
    options = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]

    def run(*words: str) -> tuple[int, object]:
        status = main([*words, "--json", *options])
        found = json.loads(capsys.readouterr().out)
        for name in ("places", "edges"):
            if name in found:
                found[name] = sorted(found[name], key=json.dumps)
        return status, found

    return run


def test_commands_print_the_same_for_both(
    sent: dict[str, list[str]], command_output: Callable[..., tuple[int, object]], tmp_path: Path
) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_text("".join(f"{each}\n" for each in sent[ONE]), "utf-8")

    assert command_output("diff", "server", str(file)) == (0, {"differences": [], "failed_on": []})
    assert command_output("coverage", "server") == command_output("coverage", str(file))
    for place in ("cases.orders", "cases.orders.id", "cases.customers.name", f"orders@{OTHER}"):
        found = command_output("impact", "server", place)
        assert found == command_output("impact", str(file), place)
        assert found[0] == 0


@pytest.mark.bad_messages  # the classification is one of the server's
def test_a_classification_of_the_hook_follows_the_lineage(atlas_server: RunningAtlas) -> None:
    tag = {"name": "tried_personal", "description": "Made by this test.", "superTypes": [], "attributeDefs": []}
    atlas_server.rest.call("POST", "/v2/types/typedefs", {"classificationDefs": [tag]})
    there, here = (
        TopicDataset(topic=each, servers="tagged", cluster="tagged", columns=columns("id"))
        for each in ("contacts", "mailing")
    )
    mark = atlas_server.logs.mark()
    sent = messages_for(copy(there, here, job="tagged copy"), classifications=(Classification("tried_personal"),))
    atlas_server.send([message.value for message in sent])
    atlas_server.assert_no_complaints(mark)
    found = atlas_server.rest.entity("kafka_topic", "mailing@tagged")
    assert found is not None
    assert [each["typeName"] for each in found.get("classifications") or ()] == ["tried_personal"]
    source = atlas_server.rest.entity("kafka_topic", "contacts@tagged")
    assert source is not None
    assert not source.get("classifications")
