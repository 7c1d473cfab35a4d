"""What messages cost the server that takes them, counted: entities above all, by job, and which things they were of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.wire.reader import read
from sac_kafka.errors import MessageError
from sac_kafka.readable.entities import is_column_lineage, is_process
from sac_kafka.readable.heard import heard_of
from sac_kafka.readable.names import Labels

_OWNERS = ("process", "query", "table", "record", "associatedEntities")
"""The references that name what an entity is a part of."""
_MAX_OWNERS = 4
NO_JOB = "(no job)"


@dataclass(slots=True)
class Cost:
    """What messages came to. Counts are of what they say: an entity that is told twice counts twice.

    `creates` are entities that are created or updated whole, `updates` those that are changed in part, `relationships` the
    references that the server makes edges of, `bytes` are those on the wire.
    """

    messages: int = 0
    records: int = 0
    bytes: int = 0
    creates: int = 0
    updates: int = 0
    deletes: int = 0
    relationships: int = 0
    processes: int = 0
    columns: int = 0

    @property
    def entities(self) -> int:
        """All operations on entities."""
        return self.creates + self.updates + self.deletes

    def add(self, other: Cost) -> None:
        """Add what another one counts."""
        for each in self.__dataclass_fields__:
            setattr(self, each, getattr(self, each) + getattr(other, each))


@dataclass(frozen=True, slots=True)
class CostedMessage:
    """What one message came to: for which `job`, in full ("" where it does not say), and its entities by what they are of.

    `unread` says of each entity that could not be read why.
    """

    job: str
    hook: str
    user: str
    cost: Cost
    things: Mapping[AtlasObjectId, int]
    unread: tuple[str, ...] = ()


@dataclass(slots=True)
class Costs:
    """What all messages came to, by job, and by table, path or process (type and name); names as people are shown them."""

    by_job: dict[str, Cost] = field(default_factory=dict)
    by_thing: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def all(self) -> Cost:
        """The sum."""
        total = Cost()
        for each in self.by_job.values():
            total.add(each)
        return total

    def dearest(self, most: int) -> list[tuple[str, str, int]]:
        """Give type, name and entities of the things that most entities were of."""
        ranked = sorted(self.by_thing.items(), key=lambda item: (-item[1], item[0]))
        return [(type_name, name, number) for (type_name, name), number in ranked[:most]]


class Counting:
    """Adds up messages. A message that names no job is of the job that its key is of: an application has one key."""

    def __init__(self) -> None:
        self._jobs: dict[str, str] = {}
        self._unnamed: list[tuple[str, str, Cost]] = []
        self._by_job: dict[str, Cost] = {}
        self._things: Counter[tuple[str, str]] = Counter()

    def take(self, text: str, key: str, records: int, size: int) -> tuple[str, ...]:
        """Count a whole message, and return why entities of it could not be read.

        Raises:
            MessageError: It is none.
        """
        one = costed(text, records, size)
        for id_, number in one.things.items():
            self._things[id_.type_name, id_.qualified_name] += number
        if one.job:
            if key:
                self._jobs[key] = one.job
            self._add(one.job, one.cost)
        else:
            self._unnamed.append((key, f"({one.hook})" if one.hook else NO_JOB, one.cost))
        return one.unread

    def costs(self) -> Costs:
        """Give the sums so far."""
        for key, otherwise, cost in self._unnamed:
            self._add(self._jobs.get(key, otherwise) if key else otherwise, cost)
        self._unnamed.clear()
        jobs = Labels(self._by_job)
        ranked = sorted(self._by_job.items(), key=lambda item: (-item[1].entities, item[0]))
        things = Labels(name for _, name in self._things)
        by_thing: Counter[tuple[str, str]] = Counter()
        for (type_name, name), number in self._things.items():
            by_thing[type_name, things(name)] += number
        return Costs({jobs(job): cost for job, cost in ranked}, by_thing)

    def _add(self, job: str, cost: Cost) -> None:
        self._by_job.setdefault(job, Cost()).add(cost)


def costed(text: str, records: int = 1, size: int = 0) -> CostedMessage:
    """Count one message.

    Raises:
        MessageError: It is none.
    """
    found = read(text)
    try:
        said = heard_of(found)
        job, hook, user = said.full_job, said.hook, said.user
    except MessageError:  # what says no lineage costs all the same
        job = hook = user = ""
    cost, things = _counted(found.notification)
    cost.messages, cost.records, cost.bytes = 1, records, size
    return CostedMessage(job, hook, user, cost, things, found.unread)


def _counted(notification: Notification) -> tuple[Cost, Mapping[AtlasObjectId, int]]:
    match notification:
        case EntityCreate(entities=entities):
            return _created(entities)
        case EntityPartialUpdate(id=id_):
            return Cost(updates=1), {id_: 1}
        case EntityDelete(ids=ids):
            return Cost(deletes=len(ids)), dict.fromkeys(ids, 1)
    return Cost(), {}


def _created(entities: tuple[AtlasEntity, ...]) -> tuple[Cost, Mapping[AtlasObjectId, int]]:
    by_id = {each.id: each for each in entities}
    things = Counter(_whole(each, by_id) for each in entities)
    cost = Cost(
        creates=len(entities),
        relationships=sum(
            _number(ends) for each in entities for ends in (*each.references.values(), *each.sides.values())
        ),
        processes=sum(map(is_process, entities)),
        columns=sum(_is_column(each.id.type_name) for each in entities),
    )
    return cost, things


def _number(ends: object) -> int:
    return 1 if isinstance(ends, AtlasObjectId) else len(ends) if isinstance(ends, tuple) else 0


def _is_column(type_name: str) -> bool:
    return type_name.endswith("_column") or type_name == "avro_field" or is_column_lineage(type_name)


def _whole(entity: AtlasEntity, by_id: Mapping[AtlasObjectId, AtlasEntity]) -> AtlasObjectId:
    """What the entity is a part of: of a column its table, of a column lineage its process; else itself."""
    found = entity.id
    for _ in range(_MAX_OWNERS):
        owner = _owner(by_id[found]) if found in by_id else None
        if owner is None:
            break
        found = owner
    return found


def _owner(entity: AtlasEntity) -> AtlasObjectId | None:
    for each in _OWNERS:
        ends = entity.references.get(each)
        first = ends if isinstance(ends, AtlasObjectId) or not ends else ends[0]
        if isinstance(first, AtlasObjectId):
            return first
    return None
