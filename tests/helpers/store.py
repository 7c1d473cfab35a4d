"""An Atlas in memory: applies messages by the semantics that its server documents, and no more.

Create-or-update by type and unique attribute among active entities, absent attributes kept, null resets; partial updates
only of what exists; deletes are soft, free the name and take the children of a composition with them. What a server
would drop is an AssertionError.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate
from sac_kafka.atlas.wire.reader import read

CHILDREN = {"spark_table": ("spark_column", "table"), "rdbms_table": ("rdbms_column", "table")}
"""Owner of a composition → the type of its children and how they name it."""


@dataclass
class Stored:
    """An entity with its own guid; references are guids."""

    guid: int
    id: AtlasObjectId
    attributes: dict[str, Any] = field(default_factory=dict)
    references: dict[str, frozenset[int]] = field(default_factory=dict)
    is_active: bool = True
    is_shell: bool = True


class Store:
    """What a server has after some messages."""

    def __init__(self) -> None:
        self._guids = itertools.count(1)
        self.all: dict[int, Stored] = {}
        self._active: dict[AtlasObjectId, Stored] = {}

    def apply(self, values: Iterable[str | bytes]) -> None:
        for value in values:
            notification = read(value).notification
            match notification:
                case EntityCreate(entities=entities):
                    for each in entities:
                        self._found(each.id)
                    for each in entities:
                        self._written(each)
                case EntityPartialUpdate(id=target, attributes=attributes):
                    assert target in self._active, f"partial update of what does not exist: {target} (R19)"
                    self._updated(self._active[target], dict(attributes))
                case EntityDelete(ids=ids):
                    for each in ids:
                        self._deleted(each)

    def active(self, type_name: str) -> dict[str, Stored]:
        """Return the active entities of a type by qualifiedName."""
        return {each.qualified_name: stored for each, stored in self._active.items() if each.type_name == type_name}

    def children(self, owner: Stored) -> list[Stored]:
        child, relationship = CHILDREN[owner.id.type_name]
        return [each for each in self.active(child).values() if owner.guid in each.references.get(relationship, ())]

    def _found(self, target: AtlasObjectId) -> Stored:
        if target not in self._active:
            stored = Stored(next(self._guids), target)
            self.all[stored.guid] = self._active[target] = stored
        return self._active[target]

    def _written(self, entity: AtlasEntity) -> None:
        stored = self._found(entity.id)
        stored.is_shell = False
        self._updated(stored, dict(entity.attributes))
        for name, ends in entity.references.items():
            targets = (ends,) if isinstance(ends, AtlasObjectId) else ends
            stored.references[name] = frozenset(self._found(each).guid for each in targets)

    def _updated(self, stored: Stored, attributes: dict[str, Any]) -> None:
        renamed = attributes.pop("qualifiedName", stored.id.qualified_name)
        if renamed != stored.id.qualified_name:
            new = AtlasObjectId(stored.id.type_name, renamed)
            assert new not in self._active, f"renamed onto what exists: {new}"
            del self._active[stored.id]
            stored.id = new
            self._active[new] = stored
        for name, value in attributes.items():
            if value is None:
                stored.attributes.pop(name, None)
            else:
                stored.attributes[name] = value

    def _deleted(self, target: AtlasObjectId) -> None:
        stored = self._active.get(target)
        if stored is None:
            return
        if target.type_name in CHILDREN:
            for child in self.children(stored):
                self._deleted(child.id)
        stored.is_active = False
        del self._active[target]
