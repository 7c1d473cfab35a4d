"""Encode the memory of runs as lines of a file, and merge the memories of several runs. Pure.

The first line holds the end of each log and the dropped entities with their times. Each further line is a group: its state,
a tab, and the names of its members, which make up most of the file and are rarely read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.atlas.flows.standing import MAX_FLOWS, FlowRow
from sac_kafka.atlas.memory import MAX_GROUPS, SLACK_MS, EntityNames, Remembered, SentGroup
from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.wire.message import encode

_SHARE_OF_FLOWS = 4
"""Divisor of the size of the file that limits the names of its flows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """The memory of all runs: `ends` of logs by their name, `dropped` to epoch milliseconds, `flows` written last at the end.

    `places` are rows of `stages.table_places`, which makes and reads them.
    """

    ends: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[AtlasObjectId, int] = field(default_factory=dict)
    groups: Mapping[AtlasObjectId, SentGroup] = field(default_factory=dict)
    places: Sequence[Sequence[str | None]] = ()
    flows: Sequence[FlowRow] = ()


def parse_memory(text: str) -> Saved:
    """Parse the output of `lines`.

    Raises:
        ValueError, TypeError, KeyError, AttributeError: The text is not such an output.
    """
    first, *rest = text.splitlines() or [""]
    head = json.loads(first)
    return Saved(
        ends={str(log): int(end) for log, end in head["ends"].items()},
        dropped={AtlasObjectId(*name): int(at_ms) for name, at_ms in head["dropped"]},
        groups=dict(map(_group, rest)),
        places=tuple(map(tuple, head.get("places", ()))),  # absent from older files
        flows=tuple(map(_flow, head.get("flows", ()))),
    )


def lines(saved: Saved, max_bytes: int, now_ms: int) -> Iterator[str]:
    """Yield the lines with their terminators; beyond `max_bytes` the groups sent longest ago are omitted."""
    dropped = sorted(saved.dropped.items(), key=lambda each: -each[1])[:MAX_GROUPS]
    head = {"ends": dict(saved.ends), "dropped": dropped, "places": saved.places}
    first = encode({**head, "flows": _newest(saved.flows, max_bytes // _SHARE_OF_FLOWS)}) + "\n"
    room = max_bytes - len(first)
    yield first

    def age_ms(sent: SentGroup) -> int:
        """Return the age of a group; a group from a clock that was ahead counts as oldest."""
        return now_ms - sent.since_ms if sent.since_ms <= now_ms + SLACK_MS else now_ms

    for owner, sent in sorted(saved.groups.items(), key=lambda each: age_ms(each[1])):
        known = [*owner, sent.digest, sent.since_ms, sorted(sent.spans), sent.size, sorted(sent.about)]
        line = f"{encode(known)}\t{sent.members.text}\n"
        room -= len(line)
        if room < 0:
            return
        yield line


def merge(theirs: Saved, ours: Remembered, ends: Mapping[str, int], *, now_ms: int, max_age_ms: int) -> Saved:
    """Merge the memory of all runs with the changes of this run.

    Only changes made by this run override the stored memory. An entity dropped by any run after a group was sent removes
    that group, or the lineage in it.
    """
    dropped = {**theirs.dropped, **ours.drop_times}
    groups = {owner: sent for owner, each in theirs.groups.items() if (sent := _left(owner, each, dropped)) is not None}
    for owner in ours.drop_times:
        groups.pop(owner, None)
    for owner, each in ours.changed_groups.items():
        left = _left(owner, each, theirs.dropped)
        if left is None:
            groups.pop(owner, None)
        else:
            groups[owner] = left
    return Saved(
        ends={**theirs.ends, **{log: max(end, theirs.ends.get(log, 0)) for log, end in ends.items()}},
        dropped={name: at_ms for name, at_ms in dropped.items() if abs(now_ms - at_ms) < max_age_ms},
        groups=groups,
        flows=_merged_flows(theirs.flows, ours.flows.rows()),
    )


def _merged_flows(theirs: Iterable[FlowRow], ours: Iterable[FlowRow]) -> tuple[FlowRow, ...]:
    """Return the flows of all runs, those of this run at the end."""
    known = {row[:2]: row for row in ours}
    return (*(row for row in theirs if row[:2] not in known), *known.values())[-MAX_FLOWS:]


def _newest(flows: Sequence[FlowRow], room: int) -> list[FlowRow]:
    """Return the last flows whose names fit into so many characters."""
    kept: list[FlowRow] = []
    for row in reversed(flows):
        room -= len(row[1]) + sum(len(each.qualified_name) + len(each.type_name) for each in (*row[4], *row[5]))
        if room < 0:
            break
        kept.append(row)
    return kept[::-1]


def _flow(row: Sequence[Any]) -> FlowRow:
    type_name, name, job, is_view, inputs, outputs, deletions = row
    read, wrote = (tuple(AtlasObjectId(*map(str, end)) for end in side) for side in (inputs, outputs))
    return (str(type_name), str(name), str(job), bool(is_view), read, wrote, int(deletions))


def _left(owner: AtlasObjectId, sent: SentGroup, dropped: Mapping[AtlasObjectId, int]) -> SentGroup | None:
    """Return a group after the drops; None if its owner was dropped since it was sent."""
    if dropped.get(owner, -1) >= sent.since_ms:
        return None
    is_gone = any(dropped.get(each, -1) >= sent.since_ms for each in sent.about)
    return sent.forgotten() if is_gone else sent


def _group(line: str) -> tuple[AtlasObjectId, SentGroup]:
    known, separator, members = line.partition("\t")
    type_name, qualified_name, digest, since_ms, spans, size, about = json.loads(known)
    if not separator:
        raise ValueError("the line of a group lacks the names of its members")
    sent = SentGroup(
        digest=str(digest),
        since_ms=int(since_ms),
        spans=frozenset((int(start), int(stop)) for start, stop in spans),
        size=int(size),
        about=frozenset(AtlasObjectId(*each) for each in about),
        members=EntityNames(text=members),
    )
    return AtlasObjectId(type_name, qualified_name), sent
