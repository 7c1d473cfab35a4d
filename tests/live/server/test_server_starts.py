"""The local Atlas starts with our type definitions alone, reads ATLAS_HOOK, shows lineage, and its logs can be read."""

from __future__ import annotations

import socket
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from stack.atlas import TYPEDEFS, AtlasServer, defined_types
from stack.errors import StackError
from tests.live.server.live_atlas import RunningAtlas

pytestmark = pytest.mark.atlas


def envelope(*entities: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": {"version": "1.0.0"},
        "msgCompressionKind": "NONE",
        "msgSplitIdx": 1,
        "msgSplitCount": 1,
        "message": {
            "type": "ENTITY_CREATE_V2",
            "user": "alice",
            "entities": {"referredEntities": {}, "entities": list(entities)},
        },
    }


def path(name: str, guid: str) -> dict[str, Any]:
    return {
        "typeName": "fs_path",
        "guid": guid,
        "attributes": {"qualifiedName": name, "name": name, "path": f"/{name}"},
    }


def reference(name: str, guid: str, relationship: str) -> dict[str, Any]:
    unique = {"qualifiedName": name}
    return {"typeName": "fs_path", "guid": guid, "uniqueAttributes": unique, "relationshipType": relationship}


def process(name: str, guid: str, source: str, target: str) -> dict[str, Any]:
    return {
        "typeName": "spark_process",
        "guid": guid,
        "attributes": {"qualifiedName": name, "name": name},
        "relationshipAttributes": {
            "inputs": [reference(source, "-1", "dataset_process_inputs")],
            "outputs": [reference(target, "-2", "process_dataset_outputs")],
        },
    }


def listeners(pid: int | None) -> set[tuple[str, int]]:
    """Return the addresses that a process listens on, from Linux' /proc; IPv4, which is all that the server uses."""
    links = (link.readlink().name for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink())
    own = {name.removeprefix("socket:[").removesuffix("]") for name in links if name.startswith("socket:[")}
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    addresses = {row[1].partition(":")[::2] for row in rows if row[3] == "0A" and row[9] in own}
    return {(socket.inet_ntoa(int(host, 16).to_bytes(4, "little")), int(port, 16)) for host, port in addresses}


@pytest.fixture
def unique() -> str:
    """Return a part of every name, so that a test meets nothing of another."""
    return uuid.uuid4().hex[:8]


def test_serves_the_types_and_listens_on_loopback_only(atlas_server: RunningAtlas) -> None:
    assert atlas_server.rest.get("/admin/version")["Version"] == "2.1.0"
    known = {header["name"] for header in atlas_server.rest.get("/v2/types/typedefs/headers")}
    assert defined_types(TYPEDEFS) <= known
    if sys.platform == "linux":
        listening = listeners(atlas_server.server.pid)
        assert {port for _, port in listening} == set(atlas_server.server.ports)
        assert {host for host, _ in listening} == {"127.0.0.1"}


def test_a_message_becomes_lineage(atlas_server: RunningAtlas, unique: str) -> None:
    source, target, name = f"a-{unique}@t", f"b-{unique}@t", f"p-{unique}@t"
    mark = atlas_server.logs.mark()
    atlas_server.send([envelope(path(source, "-1"), path(target, "-2"), process(name, "-3", source, target))])
    atlas_server.assert_no_complaints(mark)

    rest = atlas_server.rest
    edges = [f"fs_path:{source} -> spark_process:{name}", f"spark_process:{name} -> fs_path:{target}"]
    assert rest.lineage("fs_path", source) == edges
    assert rest.lineage("fs_path", target, direction="OUTPUT") == []
    assert rest.attributes("fs_path", source)["path"] == f"/{source}"
    assert rest.related("spark_process", name, "outputs") == [target]
    assert {source, target} <= set(rest.names("fs_path"))
    assert rest.entity("fs_path", f"absent-{unique}@t") is None


def test_a_reference_to_an_unsent_entity_is_a_shell(atlas_server: RunningAtlas, unique: str) -> None:
    source, target = f"shell-{unique}@t", f"whole-{unique}@t"
    flow = process(f"q-{unique}@t", "-3", source, target)
    del flow["relationshipAttributes"]["inputs"][0]["guid"]
    atlas_server.send([envelope(path(target, "-2"), flow)])
    assert [name for name in atlas_server.rest.shells() if unique in name] == [source]


def test_a_deleted_entity_is_found_only_on_request(atlas_server: RunningAtlas, unique: str) -> None:
    name = f"gone-{unique}@t"
    atlas_server.send([envelope(path(name, "-1"))])
    deletion = envelope()
    deletion["message"] = {
        "type": "ENTITY_DELETE_V2",
        "user": "alice",
        "entities": [{"typeName": "fs_path", "uniqueAttributes": {"qualifiedName": name}}],
    }
    atlas_server.send([deletion])
    assert name not in atlas_server.rest.names("fs_path")
    assert name in atlas_server.rest.names("fs_path", deleted=True)


def test_a_dropped_message_is_in_the_logs_and_the_next_is_read(atlas_server: RunningAtlas, unique: str) -> None:
    mark = atlas_server.logs.mark()
    wrong = {"typeName": "no_such_type", "guid": "-1", "attributes": {"qualifiedName": f"wrong-{unique}@t"}}
    good = f"after-{unique}@t"
    atlas_server.send([envelope(wrong), envelope(path(good, "-1"))])
    assert atlas_server.rest.entity("fs_path", good) is not None
    (dropped,) = atlas_server.logs.dropped(mark)
    assert f"wrong-{unique}@t" in dropped
    assert any("Max retries exceeded" in entry.text for entry in atlas_server.logs.complaints(mark))
    assert any("no_such_type does not exist" in str(entry) for entry in atlas_server.logs.complaints(mark))
    assert not atlas_server.logs.dropped(atlas_server.logs.mark())
    with pytest.raises(AssertionError, match="1 messages were dropped"):
        atlas_server.assert_no_complaints(mark)


def test_a_port_in_use_is_one_clear_error(atlas_server: RunningAtlas, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        second = AtlasServer(tmp_path, atlas_server.bootstrap, ports=type(atlas_server.server.ports)(port, port + 1))
        with pytest.raises(StackError, match=rf"in use on 127\.0\.0\.1: port {port} \(HTTP\)"):
            second.start()
    with pytest.raises(StackError, match="runs already"):
        atlas_server.server.start()
