"""What a hook tells of itself: `Stats` at any time, `Flushed` after a flush, one line at its end. Pure values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypedDict

_COSTLY = ("decode", "lineage", "entities", "send")
"""The stages in which an error of ours costs a message."""


class Messages(TypedDict):
    """What became of messages of this application; `replayed` ones are of earlier applications.

    `delivered` to the sink; `spooled`: they wait in files; `dropped`: lost; `rejected`: refused for good and set aside;
    `under_way`: sent, without an answer so far.
    """

    delivered: int
    spooled: int
    dropped: int
    rejected: int
    replayed: int
    under_way: int


class SpoolStats(TypedDict):
    """What waits in files: the directory ("" without a hook), and how many files, messages and bytes."""

    directory: str
    files: int
    records: int
    bytes: int


class LeftOut(TypedDict):
    """What rules have left out, by rule: inputs and outputs of flows that were sent, whole flows, changes of a catalog.

    `column_sources` went with inputs: of how many columns, once for each way in which a column depends on them.
    """

    datasets: dict[str, int]
    processes: dict[str, int]
    changes: dict[str, int]
    column_sources: dict[str, int]


OTHERS = "other reasons"
"""What reasons count as that have no room of their own."""


class Completeness(TypedDict):
    """How complete the lineage of this application's writes is.

    `writes` that succeeded; those of them `with_table_lineage`: all that they read and wrote is told; and those
    `with_column_lineage`: and what each column is made of. `reasons` say why the others are not (reason: how many writes), each
    write by what takes away most, so that they add up to `writes - with_column_lineage`.
    """

    writes: int
    with_table_lineage: int
    with_column_lineage: int
    reasons: dict[str, int]


class Stats(TypedDict):
    """What a hook has seen and done so far: plain values with the same keys always, zero and empty without a hook.

    disabled: why it is not attached, None if it is. job: the name that flows are named by. sink: where messages go.
    executions, failed, processes: statements seen, those of them that failed, and flows sent. completeness: how complete
    the lineage of their writes is. messages: what became of
    them. message_types: sent, by type. undelivered: why messages are spooled, dropped or rejected (reason: how many).
    spool: what waits in files. captured: what was seen, skipped or not understood. left_out: what rules have left out.
    projecting_seconds: time of the driver's JVM. listener: events that were lost (reason: how many). errors: our own,
    swallowed. problem: why messages do not get through at present, None when they do.
    """

    disabled: str | None
    job: str
    sink: str
    executions: int
    failed: int
    processes: int
    completeness: Completeness
    messages: Messages
    message_types: dict[str, int]
    undelivered: dict[str, int]
    spool: SpoolStats
    captured: dict[str, int]
    left_out: LeftOut
    projecting_seconds: float
    listener: dict[str, int]
    errors: dict[str, int]
    problem: str | None


@dataclass(frozen=True, slots=True)
class Flushed:
    """What became of everything up to a flush; true only if all of it is delivered.

    Args:
        delivered: Messages that the sink has taken, since the hook was attached.
        kept: Messages that wait in files: the next application delivers them.
        lost: Messages dropped or rejected, and events lost before they became messages.
        waiting: Messages that are neither, or at least 1 for statements that were not looked at, when the time was up.
        problem: Why not everything is delivered, in one line without secrets; None if everything is.
    """

    delivered: int = 0
    kept: int = 0
    lost: int = 0
    waiting: int = 0
    problem: str | None = None

    def __bool__(self) -> bool:
        """Whether everything is delivered."""
        return self.problem is None


def stats_of_none(disabled: str | None, errors: Mapping[str, int]) -> Stats:
    """The figures of a hook that is not attached."""
    return Stats(
        disabled=disabled,
        job="",
        sink="",
        executions=0,
        failed=0,
        processes=0,
        completeness=Completeness(writes=0, with_table_lineage=0, with_column_lineage=0, reasons={}),
        messages=Messages(delivered=0, spooled=0, dropped=0, rejected=0, replayed=0, under_way=0),
        message_types={},
        undelivered={},
        spool=SpoolStats(directory="", files=0, records=0, bytes=0),
        captured={},
        left_out=LeftOut(datasets={}, processes={}, changes={}, column_sources={}),
        projecting_seconds=0.0,
        listener={},
        errors=dict(errors),
        problem=None,
    )


def flushed(stats: Stats, messages: Messages | None) -> Flushed:
    """The answer of a flush.

    Args:
        stats: The hook's.
        messages: What had become of the messages when the flush was over; None where the time was up before everything
            had become messages.
    """
    if stats["disabled"] is not None:
        return Flushed(problem=f"not attached: {stats['disabled']}")
    counts = stats["messages"] if messages is None else messages
    kept, waiting = counts["spooled"], counts["under_way"]
    if messages is None:
        waiting = max(1, waiting)
    swallowed = sum(n for kind, n in stats["errors"].items() if kind.partition(":")[0] in _COSTLY)
    lost = counts["dropped"] + counts["rejected"] + sum(stats["listener"].values()) + swallowed
    problems = []
    if kept:
        problems.append(f"{counted(kept, 'message')} kept in {stats['spool']['directory']}")
    if lost:
        problems.append(f"{lost} lost, see stats()")
    if waiting:
        problems.append(f"{waiting} or more not handled in time" if messages is None else f"{waiting} not acknowledged")
    problem = ", ".join(problems) or None
    if problem and stats["problem"]:
        problem += f": {stats['problem']}"
    return Flushed(delivered=counts["delivered"], kept=kept, lost=lost, waiting=waiting, problem=problem)


def all_flushed(each: Iterable[Flushed]) -> Flushed:
    """Several hooks' answers as one; none is a problem, too."""
    found = tuple(each)
    if not found:
        return Flushed(problem="no hook is attached")
    return Flushed(
        delivered=sum(one.delivered for one in found),
        kept=sum(one.kept for one in found),
        lost=sum(one.lost for one in found),
        waiting=sum(one.waiting for one in found),
        problem="; ".join(one.problem for one in found if one.problem is not None) or None,
    )


def at_the_end(
    stats: Stats, reasons: Mapping[str, Mapping[str, int]], above: Callable[[str], str] = str
) -> tuple[bool, str]:
    """Whether all went well, and the one line at the end: behind each number the reasons that add up to it.

    Args:
        stats: The hook's.
        reasons: Why messages are spooled, dropped and rejected: what became of them to reason to how many.
        above: Gives a reason, or something shorter where it has been said before.
    """

    def why(found: Mapping[str, int]) -> str:
        return f" ({'; '.join(f'{above(reason)}: {n}' for reason, n in found.items())})" if found else ""

    messages = stats["messages"]
    kept = messages["spooled"] + messages["rejected"]
    is_bad = kept or messages["dropped"] or messages["under_way"] or stats["listener"]
    parts = [
        counted(stats["executions"], "execution")
        + " seen"
        + (f" ({stats['failed']} failed)" if stats["failed"] else ""),
        counted(messages["delivered"], "message") + " delivered",
        f"{messages['spooled']} spooled{why(reasons.get('spooled', {}))}",
        f"{messages['dropped']} dropped{why(reasons.get('dropped', {}))}",
    ]
    if messages["rejected"]:
        parts.append(f"{messages['rejected']} rejected{why(reasons.get('rejected', {}))}")
    if messages["under_way"]:
        parts.append(f"{messages['under_way']} neither delivered nor kept")
    if messages["replayed"]:
        parts.append(f"{messages['replayed']} of earlier applications delivered")
    if complete := of_writes(stats["completeness"]):
        parts.append(f"lineage of {complete}")
    if left_out := _left_out(stats["left_out"]):
        parts.append(f"left out by rules: {left_out}")
    if stats["listener"]:
        parts.append(counted(sum(stats["listener"].values()), "event") + f" lost or cut{why(stats['listener'])}")
    if stats["errors"]:
        parts.append(counted(sum(stats["errors"].values()), "error") + why(stats["errors"]))
    line = ", ".join(parts)
    if kept:
        line += f"; undelivered messages are in {stats['spool']['directory']}"
    return not is_bad, f"sac_kafka ended: {line}"


def of_writes(found: Completeness, most_reasons: int = 3) -> str:
    """How complete the lineage of writes is, in a few words, with the `most_reasons` that are most frequent; "" without writes.

    >>> of_writes(Completeness(writes=3, with_table_lineage=3, with_column_lineage=3, reasons={}))
    '3 writes complete'
    >>> of_writes(Completeness(writes=3, with_table_lineage=2, with_column_lineage=2, reasons={"sink not understood: x": 1}))
    '3 writes: 2 with tables, 2 with columns (sink not understood: x: 1)'
    """
    writes = found["writes"]
    if not writes or writes == found["with_column_lineage"]:
        return f"{counted(writes, 'write')} complete" if writes else ""
    reasons = sorted(found["reasons"].items(), key=lambda each: (-each[1], each[0]))
    told = [f"{reason}: {number}" for reason, number in reasons[:most_reasons]]
    if more := sum(number for _, number in reasons[most_reasons:]):
        told.append(f"others: {more}")
    tables, columns = found["with_table_lineage"], found["with_column_lineage"]
    return f"{counted(writes, 'write')}: {tables} with tables, {columns} with columns ({'; '.join(told)})"


def _left_out(by_rule: LeftOut) -> str:
    numbers = (
        (sum(by_rule["processes"].values()), "flow"),
        (sum(by_rule["datasets"].values()), "dataset"),
        (sum(by_rule["changes"].values()), "change"),
    )
    *before, last = [counted(number, what) for number, what in numbers if number] or [""]
    return f"{', '.join(before)} and {last}" if before else last


def counted(number: int, what: str, many: str = "") -> str:
    """A number with its noun, whose plural is `many` where it is not made by an s.

    >>> counted(1, "message"), counted(0, "message"), counted(2, "entity", "entities")
    ('1 message', '0 messages', '2 entities')
    """
    return f"{number} {what}" if number == 1 else f"{number} {many or f'{what}s'}"


def span(seconds: float) -> str:
    """A time in the largest unit that fits.

    >>> span(45), span(400), span(90000), span(864000)
    ('45 s', '7 min', '25 h', '10 days')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"
