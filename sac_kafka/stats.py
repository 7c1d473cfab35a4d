"""Define the statistics of a hook: `Stats` at any time, `Flushed` after a flush, and the last line of its log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypedDict

from sac_kafka.escaping import escape

_COSTLY = ("decode", "lineage", "entities", "send")
"""Stages in which an internal error loses a message."""


class Messages(TypedDict):
    """Messages of this application by state; `replayed` counts delivered messages of earlier applications.

    delivered: acknowledged by the sink. spooled: waiting in files. dropped: lost. rejected: refused permanently, kept as dead
    letters. in_flight: sent and not yet acknowledged.
    """

    delivered: int
    spooled: int
    dropped: int
    rejected: int
    replayed: int
    in_flight: int


def total_messages(each: Iterable[Messages]) -> Messages:
    """Return the sum over several destinations."""
    total = Messages(delivered=0, spooled=0, dropped=0, rejected=0, replayed=0, in_flight=0)
    for messages in each:
        for state in total:
            total[state] += messages[state]  # type: ignore[literal-required]
    return total


class SpoolStats(TypedDict):
    """State of the spool: its directory ("" without a hook), and the number of files, messages and bytes in it."""

    directory: str
    files: int
    records: int
    bytes: int


class Excluded(TypedDict):
    """Exclusions by rule: inputs and outputs of flows that were sent, whole flows, changes of a catalog.

    column_sources: source columns that were removed together with excluded inputs, once per dependency.
    """

    datasets: dict[str, int]
    processes: dict[str, int]
    changes: dict[str, int]
    column_sources: dict[str, int]


OTHERS = "other reasons"
"""Key under which reasons beyond the limit are counted."""


class Completeness(TypedDict):
    """Completeness of the lineage of this application's writes.

    writes: successful writes. with_table_lineage: those whose inputs and outputs are all reported. with_column_lineage: those of
    them whose columns are all reported, too. reasons: reason to number of the other writes, each under its most serious reason;
    the numbers add up to `writes - with_column_lineage`.
    """

    writes: int
    with_table_lineage: int
    with_column_lineage: int
    reasons: dict[str, int]


class Deliveries(TypedDict):
    """What has become of messages; the keys are explained in `Stats`."""

    sink: str
    processes: int
    messages: Messages
    message_types: dict[str, int]
    undelivered: dict[str, int]
    spool: SpoolStats
    problem: str | None


class DestinationStats(Deliveries):
    """Statistics of one of several destinations: its name in the settings, "" for the first."""

    name: str


class Stats(Deliveries):
    """Statistics of a hook: plain values, always with the same keys; zero and empty without a hook.

    disabled: why the hook is not attached, None if it is. job: the job's name in messages. sink: the destination of messages.
    executions, failed, processes: executions observed, failed executions, and flows sent. completeness: completeness of the
    writes' lineage. messages: messages by state. message_types: sent messages by type. undelivered: reasons of spooled, dropped
    and rejected messages, with numbers. spool: state of the spool. captured: events that were observed, skipped or not
    understood. excluded: exclusions by rule. capture_seconds: time spent by the listener in the driver's JVM. listener: lost
    events by reason. errors: internal errors, which are swallowed. problem: why messages are not delivered at present, None if
    they are. destinations: each destination by itself; with several, messages and undelivered are sums over all, and sink,
    processes, message_types and spool those of the first.
    """

    disabled: str | None
    job: str
    executions: int
    failed: int
    completeness: Completeness
    captured: dict[str, int]
    excluded: Excluded
    capture_seconds: float
    listener: dict[str, int]
    errors: dict[str, int]
    destinations: list[DestinationStats]


@dataclass(frozen=True, slots=True)
class Flushed:
    """Result of a flush; true only if everything up to the flush is delivered.

    Args:
        delivered: Messages acknowledged by the sink since the hook was attached, or took over from another Python process.
        kept: Messages in the spool, which the next application delivers.
        lost: Messages dropped or rejected, and events lost before they became messages.
        waiting: Messages without an outcome at the timeout; at least 1 if executions were not processed in time.
        problem: Why not everything is delivered, in one line without secrets; None if everything is.
    """

    delivered: int = 0
    kept: int = 0
    lost: int = 0
    waiting: int = 0
    problem: str | None = None

    def __bool__(self) -> bool:
        """Return whether everything is delivered."""
        return self.problem is None


def stats_of_none(disabled: str | None, errors: Mapping[str, int]) -> Stats:
    """Return the statistics of a hook that is not attached."""
    return Stats(
        disabled=disabled,
        job="",
        sink="",
        executions=0,
        failed=0,
        processes=0,
        completeness=Completeness(writes=0, with_table_lineage=0, with_column_lineage=0, reasons={}),
        messages=Messages(delivered=0, spooled=0, dropped=0, rejected=0, replayed=0, in_flight=0),
        message_types={},
        undelivered={},
        spool=SpoolStats(directory="", files=0, records=0, bytes=0),
        captured={},
        excluded=Excluded(datasets={}, processes={}, changes={}, column_sources={}),
        capture_seconds=0.0,
        listener={},
        errors=dict(errors),
        problem=None,
        destinations=[],
    )


def flush_result(stats: Stats, messages: Messages | None) -> Flushed:
    """Return the result of a flush.

    `messages` is None if the timeout came before all events were processed.
    """
    if stats["disabled"] is not None:
        return Flushed(problem=f"not attached: {stats['disabled']}")
    counts = stats["messages"] if messages is None else messages
    kept, waiting = counts["spooled"], counts["in_flight"]
    if messages is None:
        waiting = max(1, waiting)
    swallowed = sum(n for kind, n in stats["errors"].items() if kind.partition(":")[0] in _COSTLY)
    lost = counts["dropped"] + counts["rejected"] + sum(stats["listener"].values()) + swallowed
    problems = []
    if kept:
        keeping = [each["spool"]["directory"] for each in stats["destinations"] if each["messages"]["spooled"]]
        directories = " and ".join(keeping or [stats["spool"]["directory"]])
        problems.append(f"{with_noun(kept, 'message')} kept in {directories}")
    if lost:
        problems.append(f"{lost} lost, see stats()")
    if waiting:
        problems.append(f"{waiting} or more not handled in time" if messages is None else f"{waiting} not acknowledged")
    problem = escape(", ".join(problems))
    if problem and stats["problem"]:
        problem += f": {stats['problem']}"
    return Flushed(delivered=counts["delivered"], kept=kept, lost=lost, waiting=waiting, problem=problem or None)


def combine_flushes(each: Iterable[Flushed]) -> Flushed:
    """Combine the flush results of several hooks; no hook at all is a problem."""
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


def is_all_delivered(stats: Stats) -> bool:
    """Return whether nothing that was observed is undelivered or lost."""
    messages = stats["messages"]
    undelivered = messages["spooled"] + messages["rejected"] + messages["dropped"] + messages["in_flight"]
    return not undelivered and not stats["listener"]


def ended_as_json(stats: Stats, reasons: Mapping[str, Mapping[str, int]]) -> dict[str, object]:
    """Return what the last line of a hook says as a JSON object; arguments as in `ended_as_text`."""
    return {
        "is_all_delivered": is_all_delivered(stats),
        "executions": stats["executions"],
        "failed": stats["failed"],
        "flows": stats["processes"],
        **stats["messages"],
        "reasons": {state: dict(found) for state, found in reasons.items() if found},
        "completeness": stats["completeness"],
        "excluded": stats["excluded"],
        "events_lost": stats["listener"],
        "errors": stats["errors"],
        "spool": stats["spool"]["directory"],
        **({"destinations": stats["destinations"]} if len(stats["destinations"]) > 1 else {}),
    }


def ended_as_text(stats: Stats, reasons: Mapping[str, Mapping[str, int]], above: Callable[[str], str] = str) -> str:
    """Return what the last line of a hook says, with the reasons after each number.

    `reasons` are by state the number of each reason; `above` shortens one that was logged before.
    """

    def why(found: Mapping[str, int]) -> str:
        return f" ({'; '.join(f'{above(reason)}: {n}' for reason, n in found.items())})" if found else ""

    messages = stats["messages"]
    kept = messages["spooled"] + messages["rejected"]
    parts = [
        with_noun(stats["executions"], "execution")
        + " seen"
        + (f" ({stats['failed']} failed)" if stats["failed"] else ""),
        with_noun(stats["processes"], "flow") + " reported",
        with_noun(messages["delivered"], "message") + " delivered",
        f"{messages['spooled']} spooled{why(reasons.get('spooled', {}))}",
        f"{messages['dropped']} dropped{why(reasons.get('dropped', {}))}",
    ]
    if messages["rejected"]:
        parts.append(f"{messages['rejected']} rejected{why(reasons.get('rejected', {}))}")
    if messages["in_flight"]:
        parts.append(f"{messages['in_flight']} neither delivered nor kept")
    if messages["replayed"]:
        parts.append(f"{messages['replayed']} of earlier applications delivered")
    parts += map(_of_destination, stats["destinations"] if len(stats["destinations"]) > 1 else ())
    if complete := of_writes(stats["completeness"]):
        parts.append(f"lineage of {complete}")
    if excluded := _describe_exclusions(stats["excluded"]):
        parts.append(f"excluded by rules: {excluded}")
    if stats["listener"]:
        parts.append(with_noun(sum(stats["listener"].values()), "event") + f" lost or cut{why(stats['listener'])}")
    if stats["errors"]:
        parts.append(with_noun(sum(stats["errors"].values()), "error") + why(stats["errors"]))
    line = ", ".join(parts)
    if kept:
        found = (each for each in stats["destinations"] if each["messages"]["spooled"] or each["messages"]["rejected"])
        directories = dict.fromkeys(each["spool"]["directory"] for each in found) or [stats["spool"]["directory"]]
        line += f"; undelivered messages are in {' and '.join(directories)}"
    return line


def _of_destination(found: DestinationStats) -> str:
    """Return what has become of the messages to one of several destinations."""
    shown = {state: number for state, number in found["messages"].items() if number or state == "delivered"}
    counts = ", ".join(f"{number} {state.replace('_', ' ')}" for state, number in shown.items())
    return f"to {found['name'] or 'the first destination'} ({found['sink']}) {counts}"


def of_writes(found: Completeness, most_reasons: int = 3) -> str:
    """Return the completeness of writes as text, with the most frequent `most_reasons` reasons; "" without writes.

    >>> of_writes(Completeness(writes=3, with_table_lineage=3, with_column_lineage=3, reasons={}))
    '3 writes complete'
    >>> of_writes(Completeness(writes=3, with_table_lineage=2, with_column_lineage=2, reasons={"sink not understood: x": 1}))
    '3 writes: 2 with tables, 2 with columns (sink not understood: x: 1)'
    """
    writes = found["writes"]
    if not writes or writes == found["with_column_lineage"]:
        return f"{with_noun(writes, 'write')} complete" if writes else ""
    reasons = sorted(found["reasons"].items(), key=lambda each: (-each[1], each[0]))
    listed = [f"{reason}: {number}" for reason, number in reasons[:most_reasons]]
    if more := sum(number for _, number in reasons[most_reasons:]):
        listed.append(f"others: {more}")
    tables, columns = found["with_table_lineage"], found["with_column_lineage"]
    return f"{with_noun(writes, 'write')}: {tables} with tables, {columns} with columns ({'; '.join(listed)})"


def _describe_exclusions(by_rule: Excluded) -> str:
    numbers = (
        (sum(by_rule["processes"].values()), "flow"),
        (sum(by_rule["datasets"].values()), "dataset"),
        (sum(by_rule["changes"].values()), "change"),
    )
    *before, last = [with_noun(number, what) for number, what in numbers if number] or [""]
    return f"{', '.join(before)} and {last}" if before else last


def with_noun(number: int, what: str, many: str = "") -> str:
    """Return a number with its noun; `many` is the plural if it is irregular.

    >>> with_noun(1, "message"), with_noun(0, "message"), with_noun(2, "entity", "entities")
    ('1 message', '0 messages', '2 entities')
    """
    return f"{number} {what}" if number == 1 else f"{number} {many or f'{what}s'}"


def span(seconds: float) -> str:
    """Return a time in seconds as text, in the largest unit that fits.

    >>> span(45), span(400), span(90000), span(864000)
    ('45 s', '7 min', '25 h', '10 days')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"
