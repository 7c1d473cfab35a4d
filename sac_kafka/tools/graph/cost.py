"""Count the work that messages cause on a server, in entities above all: by job, and by table, path or process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.atlas.wire.reader import ParsedMessage
from sac_kafka.errors import MessageError
from sac_kafka.tools.graph.message_summary import summarize
from sac_kafka.tools.messages.entities import ends, is_column, is_column_lineage, is_process
from sac_kafka.tools.messages.names import Labels

_OWNERS = ("process", "query", "table", "record", "associatedEntities")
"""References from an entity to its owner."""
_MAX_OWNERS = 4
NO_JOB = "(no job)"


@dataclass(slots=True)
class Cost:
    """Counters of messages. Repeated entities count every time, because a server processes each of them.

    `creates` are entities that are created or replaced, `updates` partial updates, `relationships` references that become edges
    of the server's graph, `bytes` the length on the wire.
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
        """Number of operations on entities."""
        return self.creates + self.updates + self.deletes

    def add(self, other: Cost) -> None:
        """Add the counters of another one."""
        for each in self.__dataclass_fields__:
            setattr(self, each, getattr(self, each) + getattr(other, each))


@dataclass(slots=True)
class Costs:
    """Cost of all messages, by job and by table, path or process (type and name), under display names."""

    by_job: dict[str, Cost] = field(default_factory=dict)
    by_thing: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def all(self) -> Cost:
        """The sum over all jobs."""
        total = Cost()
        for each in self.by_job.values():
            total.add(each)
        return total

    def most_expensive(self, limit: int) -> list[tuple[str, str, int]]:
        """Return type, name and number of entities of the `limit` items with the most entities."""
        ranked = sorted(self.by_thing.items(), key=lambda item: (-item[1], item[0]))
        return [(type_name, name, number) for (type_name, name), number in ranked[:limit]]


class CostCounter:
    """Adds up messages. A message without a job counts for the job of its key, since all messages of an application share it."""

    def __init__(self) -> None:
        self._jobs: dict[str, str] = {}
        self._unnamed: list[tuple[str, str, Cost]] = []
        self._by_job: dict[str, Cost] = {}
        self._things: Counter[tuple[str, str]] = Counter()

    def add(self, found: ParsedMessage, key: str, records: int, size: int) -> None:
        """Count a whole message."""
        try:
            summary = summarize(found)
            job, hook = summary.job, summary.hook
        except MessageError:  # Malformed lineage still costs the server its entities.
            job = hook = ""
        cost, things = _count(found.notification)
        cost.messages, cost.records, cost.bytes = 1, records, size
        for id_, number in things.items():
            self._things[id_.type_name, id_.qualified_name] += number
        if job:
            if key:
                self._jobs[key] = job
            self._add(job, cost)
        else:
            self._unnamed.append((key, f"({hook})" if hook else NO_JOB, cost))

    def costs(self) -> Costs:
        """Return the sums so far."""
        for key, default, cost in self._unnamed:
            self._add(self._jobs.get(key, default) if key else default, cost)
        self._unnamed.clear()
        jobs = Labels(self._by_job)
        ranked = sorted(self._by_job.items(), key=lambda item: (-item[1].entities, item[0]))
        things = Labels(name for kind, name in self._things if not kind.endswith("_storagedesc"))  # …@namespace_storage
        by_thing: Counter[tuple[str, str]] = Counter()
        for (type_name, name), number in self._things.items():
            by_thing[type_name, things(name)] += number
        return Costs({jobs(job): cost for job, cost in ranked}, by_thing)

    def _add(self, job: str, cost: Cost) -> None:
        self._by_job.setdefault(job, Cost()).add(cost)


def _count(notification: Notification) -> tuple[Cost, Mapping[AtlasObjectId, int]]:
    match notification:
        case EntityCreate(entities=entities):
            return _count_creation(entities)
        case EntityPartialUpdate(id=id_):
            return Cost(updates=1), {id_: 1}
        case EntityDelete(ids=ids):
            return Cost(deletes=len(ids)), dict.fromkeys(ids, 1)
    return Cost(), {}


def _count_creation(entities: tuple[AtlasEntity, ...]) -> tuple[Cost, Mapping[AtlasObjectId, int]]:
    by_id = {entity.id: entity for entity in entities}
    things = Counter(_root_owner(entity, by_id) for entity in entities)
    cost = Cost(
        creates=len(entities),
        relationships=sum(
            len(ends(entity, role)) for entity in entities for role in {*entity.references, *entity.sides}
        ),
        processes=sum(map(is_process, entities)),
        columns=sum(
            is_column(name) or is_column_lineage(name) for name in (entity.id.type_name for entity in entities)
        ),
    )
    return cost, things


def _root_owner(entity: AtlasEntity, by_id: Mapping[AtlasObjectId, AtlasEntity]) -> AtlasObjectId:
    """Return the table of a column, the process of a column lineage, else the entity itself."""
    found = entity.id
    for _ in range(_MAX_OWNERS):
        if found not in by_id:
            break
        found = next((end for role in _OWNERS for end in ends(by_id[found], role)), found)
    return found
