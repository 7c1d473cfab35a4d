"""The type definitions of a Purview account, from Microsoft's REST reference of the Data Map, `Type` (2023-09-01).

    types = TypeDefinitions(definitions([BUILT_IN]))
    account = DataMap(more=types.answer)          # tests/unit/transport/http/data_map_server.py: token, faults, both paths

GET returns all types, POST creates new ones, PUT updates existing ones. What the reference leaves open (error codes,
allowed changes of a type) follows Atlas, on which Purview is based. `is_reader` is a log-in without the role Data Curator.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.unit.transport.http.data_map_server import RefusedError, Reply, Request

PATH = "/atlas/v2/types/typedefs"
KINDS = ("enumDefs", "structDefs", "classificationDefs", "entityDefs", "relationshipDefs", "businessMetadataDefs")
Types = dict[str, list[dict[str, Any]]]


@dataclass
class TypeDefinitions:
    """The types of an account; `before_post` is called once before the next POST, as a concurrent writer."""

    types: Types = field(default_factory=dict)
    is_reader: bool = False
    before_post: Any = None

    def __post_init__(self) -> None:
        self.types = {kind: copy.deepcopy(self.types.get(kind, [])) for kind in KINDS}

    def names(self) -> set[str]:
        return {each["name"] for definitions in self.types.values() for each in definitions}

    def definition(self, name: str) -> dict[str, Any]:
        return next(each for definitions in self.types.values() for each in definitions if each["name"] == name)

    def add(self, given: Mapping[str, list[dict[str, Any]]]) -> None:
        for kind, definitions in given.items():
            self.types[kind] += copy.deepcopy(definitions)

    def answer(self, request: Request) -> Reply | None:
        if request.path != PATH:
            return None
        if request.query.get("api-version") != "2023-09-01":
            return Reply(400, {"error": {"code": "MissingApiVersionParameter", "message": "api-version is required"}})
        if request.method == "GET":
            return Reply(body=self.types)
        if self.is_reader:
            raise RefusedError(403, "ATLAS-403-00-001", "caller is not authorized to perform create types")
        given: Types = {kind: (request.body.get(kind) or []) for kind in KINDS}
        if request.method == "POST":
            self._make(given)
        elif request.method == "PUT":
            self._update(given)
        else:
            return None
        return Reply(body=given)

    def _make(self, given: Types) -> None:
        if self.before_post is not None:
            self.before_post()
            self.before_post = None
        for _, each in _each(given):
            if each["name"] in self.names():
                raise RefusedError(409, "ATLAS-409-00-001", f"Given type {each['name']} already exists")
        self._check(given)
        self.add(given)

    def _update(self, given: Types) -> None:
        for kind, each in _each(given):
            if each["name"] not in self.names():
                raise RefusedError(404, "ATLAS-404-00-001", f"Given typename {each['name']} was invalid")
            old = self.definition(each["name"])
            before = {a["name"]: a for a in old.get("attributeDefs", ())}
            after = {a["name"]: a for a in each.get("attributeDefs", ())}
            if gone := sorted(before.keys() - after.keys()):
                raise RefusedError(400, "ATLAS-400-00-01A", f"removal of attributes is not supported: {gone}")
            if any(not after[name]["isOptional"] for name in after.keys() - before.keys()):
                raise RefusedError(400, "ATLAS-400-00-01A", "a new attribute must be optional")
            self.types[kind][self.types[kind].index(old)] = copy.deepcopy(each)

    def _check(self, given: Types) -> None:
        there = {each["name"] for types in (self.types, given) for each in types["entityDefs"]}
        for each in given["entityDefs"]:
            if unknown := sorted(set(each["superTypes"]) - there):
                raise RefusedError(404, "ATLAS-404-00-001", f"Given typename {unknown[0]} was invalid")
        for each in given["relationshipDefs"]:
            ends = [each["endDef1"], each["endDef2"]]
            containers = sum(bool(end.get("isContainer")) for end in ends)
            if containers != (each["relationshipCategory"] != "ASSOCIATION"):
                raise RefusedError(400, "ATLAS-400-00-036", f"invalid relationshipDef: {each['name']}")
            if unknown := sorted({end["type"] for end in ends} - there):
                raise RefusedError(404, "ATLAS-404-00-001", f"Given typename {unknown[0]} was invalid")


def _each(given: Types) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((kind, each) for kind in KINDS for each in given[kind])
