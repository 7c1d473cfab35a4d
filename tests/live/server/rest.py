"""Queries of a running Atlas over REST for tests: entities by name, edges as readable lines."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Mapping
from typing import Any, Literal

PAGE = 100
_AT_ONCE = 50
"""Entities of one request: their ids are its address."""
TIMEOUT_SECONDS = 60
Direction = Literal["INPUT", "OUTPUT", "BOTH"]
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the server is on this machine


class AtlasRestError(Exception):
    """The server answered with an error; the message holds the address, the status and the server's text."""


class AtlasRest:
    """A client of `/api/atlas`, with basic authentication."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self.url = url
        self._authorization = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """Return the JSON of an answer, None where it is empty; a status of 400 or more is an `AtlasRestError`."""
        address = f"{self.url}/api/atlas{path}" + (f"?{urllib.parse.urlencode(query, doseq=True)}" if query else "")
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, method=method)
        request.add_header("Authorization", self._authorization)
        request.add_header("Content-Type", "application/json")
        try:
            with _direct.open(request, timeout=TIMEOUT_SECONDS) as answer:
                content = answer.read()
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            error.close()
            raise AtlasRestError(f"{method} {address}: {error.code} {text[:2000]}") from error
        return json.loads(content) if content else None

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON of a GET below `/api/atlas`."""
        return self.call("GET", path, **query)

    # ---- entities

    def entity(self, type_name: str, qualified_name: str) -> dict[str, Any] | None:
        """Return the entity of that name (attributes, relationshipAttributes, status …), None if the server lacks it.

        A deleted one is returned too, with the status DELETED, unless an active one has its name.
        """
        found = self._found(f"/v2/entity/uniqueAttribute/type/{type_name}", qualified_name)
        return found and found["entity"]

    def entities(self, guids: Iterable[str], **query: object) -> dict[str, dict[str, Any]]:
        """Entities by their ids, in as few requests as can be."""
        wanted = list(dict.fromkeys(guids))
        found: dict[str, dict[str, Any]] = {}
        for n in range(0, len(wanted), _AT_ONCE):
            parameters = {"guid": wanted[n : n + _AT_ONCE], "minExtInfo": "true", **query}
            found.update((each["guid"], each) for each in self.get("/v2/entity/bulk", **parameters)["entities"])
        return found

    def attributes(self, type_name: str, qualified_name: str) -> dict[str, Any]:
        """Return the attributes of an entity that must be there."""
        found = self.entity(type_name, qualified_name)
        assert found is not None, (
            f"the server has no {type_name} {qualified_name}; of that type: {self.names(type_name)}"
        )
        return dict(found["attributes"])

    def related(self, type_name: str, qualified_name: str, relationship: str) -> list[str]:
        """Return the displayTexts of the active ends of a relationship attribute, sorted."""
        found = self.entity(type_name, qualified_name)
        assert found is not None, f"the server has no {type_name} {qualified_name}"
        ends = found["relationshipAttributes"].get(relationship) or []
        ends = ends if isinstance(ends, list) else [ends]
        active = [e for e in ends if e["entityStatus"] == "ACTIVE" and e["relationshipStatus"] == "ACTIVE"]
        return sorted(e["displayText"] for e in active)

    def search(self, type_name: str, *, deleted: bool = False) -> list[dict[str, Any]]:
        """Return the headers of all entities of a type and its subtypes, optionally with the deleted ones."""
        headers: list[dict[str, Any]] = []
        while True:
            body = {
                "typeName": type_name,
                "excludeDeletedEntities": not deleted,
                "limit": PAGE,
                "offset": len(headers),
                "attributes": ["qualifiedName"],
            }
            page = self.call("POST", "/v2/search/basic", body).get("entities") or []
            headers += page
            if len(page) < PAGE:
                return headers

    def names(self, type_name: str, *, deleted: bool = False) -> list[str]:
        """Return the qualifiedNames of all entities of a type and its subtypes, sorted."""
        return sorted(h["attributes"].get("qualifiedName", "?") for h in self.search(type_name, deleted=deleted))

    def shells(self, type_name: str = "Referenceable") -> list[str]:
        """Return the qualifiedNames of the entities that were only referred to and never sent."""
        return sorted(
            h["attributes"].get("qualifiedName", "?") for h in self.search(type_name) if h.get("isIncomplete")
        )

    # ---- lineage

    def lineage(
        self, type_name: str, qualified_name: str, *, direction: Direction = "BOTH", depth: int = 20
    ) -> list[str]:
        """Return the edges around an entity, as `type:name -> type:name` lines, sorted; a doubled edge is there twice.

        A deleted end has `(DELETED)` behind its name.
        """
        path = f"/v2/lineage/uniqueAttribute/type/{type_name}"
        found = self._found(path, qualified_name, direction=direction, depth=depth)
        assert found is not None, (
            f"the server has no {type_name} {qualified_name}; of that type: {self.names(type_name)}"
        )
        return edges(found)

    def _found(self, path: str, qualified_name: str, **query: object) -> dict[str, Any] | None:
        try:
            return dict(self.get(path, **{"attr:qualifiedName": qualified_name}, **query))
        except AtlasRestError as error:
            if isinstance(error.__cause__, urllib.error.HTTPError) and error.__cause__.code == 404:
                return None
            raise


def edges(lineage: Mapping[str, Any]) -> list[str]:
    """Return the relations of an AtlasLineageInfo as readable lines, sorted."""
    ends = {
        guid: f"{e['typeName']}:{e['attributes'].get('qualifiedName')}"
        + ("" if e["status"] == "ACTIVE" else f"({e['status']})")
        for guid, e in lineage["guidEntityMap"].items()
    }
    return sorted(f"{ends[r['fromEntityId']]} -> {ends[r['toEntityId']]}" for r in lineage["relations"])
