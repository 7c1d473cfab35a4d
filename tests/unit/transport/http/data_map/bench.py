"""Messages for the Data Map, a transport to the stand-in, and the outcomes of records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sac_kafka.settings import Settings
from sac_kafka.transport.base import Failure, Record, Transport
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.http.data_map.transport import DataMapTransport
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer

LAKE = "https://contosolake.dfs.core.windows.net/raw/"


class Sender:
    """Send records, and remember their outcomes in order."""

    def __init__(self) -> None:
        self.outcomes: list[Failure | None] = []

    def send(self, transport: Transport, *records: Record) -> None:
        for record in records:
            transport.send(record, self.outcomes.append)

    @property
    def failures(self) -> list[Failure]:
        return [failure for failure in self.outcomes if failure is not None]


def entity(type_name: str, name: str, guid: str = "", **more: Any) -> dict[str, Any]:
    attributes = {"qualifiedName": name, "name": name.rsplit("/", 1)[-1] or name, **more}
    return {"typeName": type_name, "attributes": attributes} | ({"guid": guid} if guid else {})


def path(name: str, guid: str = "-1", **more: Any) -> dict[str, Any]:
    return entity("azure_datalake_gen2_path", f"{LAKE}{name}", guid, **more)


def process(name: str, guid: str, inputs: Iterable[str], outputs: Iterable[str], kind: str = "spark_process") -> Any:
    """Of inputs and outputs their guids."""
    ends = {"inputs": inputs, "outputs": outputs}
    lists = {place: [{"guid": each, "typeName": "DataSet"} for each in guids] for place, guids in ends.items()}
    return entity(kind, name, guid, **lists)


def flow(name: str, reads: str = "orders", writes: str = "totals", kind: str = "spark_process") -> list[Any]:
    """Return a process with its inputs and outputs."""
    return [path(reads, "-1"), path(writes, "-2"), process(name, "-3", ["-1"], ["-2"], kind)]


def message(kind: str, **content: Any) -> Record:
    body = {"version": {"version": "1.0.0"}, "message": {"type": kind, "user": "etl", **content}}
    return Record("ATLAS_HOOK", b"app", (json.dumps(body).encode(),))


def creation(*entities: Any, kind: str = "ENTITY_CREATE_V2") -> Record:
    return message(kind, entities={"referredEntities": {}, "entities": list(entities)})


def reference(type_name: str, name: str) -> dict[str, Any]:
    return {"typeName": type_name, "uniqueAttributes": {"qualifiedName": name}}


def partial_update(type_name: str, name: str, **attributes: Any) -> Record:
    changed = {"typeName": type_name, "guid": "-1", "attributes": attributes}
    return message(
        "ENTITY_PARTIAL_UPDATE_V2",
        entityId=reference(type_name, name),
        entity={"entity": changed, "referredEntities": {}},
    )


def deletion(*names: tuple[str, str]) -> Record:
    return message("ENTITY_DELETE_V2", entities=[reference(*each) for each in names])


def settings_of(server: DataMapHttpServer | str, account: DataMap | None = None, **keys: str) -> Settings:
    address = server if isinstance(server, str) else server.address
    properties = {
        "atlas.client.type": "purview",
        "atlas.rest.address": address,
        "atlas.hook.spark.rest.timeout.seconds": "60",
        **({"atlas.hook.spark.rest.token": account.token} if account else {}),
        **keys,
    }
    return Settings.read(properties, "here")


def transport(
    server: DataMapHttpServer | str, account: DataMap, ca: Path | None = None, **keys: str
) -> DataMapTransport:
    trusted = {"atlas.hook.spark.rest.ca.file": str(ca)} if ca else {}
    made = make_transport(settings_of(server, account, **trusted, **keys))
    assert isinstance(made, DataMapTransport)
    return made
