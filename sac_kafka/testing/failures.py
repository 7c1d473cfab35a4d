"""What a failed question says: what was expected, what was seen, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import ndiff
from pathlib import Path

from sac_kafka.figures import Stats, counted
from sac_kafka.readable.asked import meant_by, near
from sac_kafka.readable.drawing import writable
from sac_kafka.readable.flows import Flow

_MOST_FLOWS = 20
_MOST_LINES = 200
_UPDATE = "pytest --lineage-update"


def other_inputs(output: str, expected: Sequence[str], seen: Sequence[Flow]) -> str:
    """No flow reads what was expected; told of the one that comes nearest."""
    nearest = min(seen, key=lambda flow: len(set(expected) ^ set(flow.inputs)))
    return _text(
        f"{output} is made of other datasets than expected",
        "",
        *_compared(expected, nearest.inputs, lambda name: (name,)),
        "",
        *_seen(seen),
    )


def other_columns(
    column: str, word: str, expected: Sequence[str], seen: Sequence[str], forms: Callable[[str], Sequence[str]]
) -> str:
    """A column is made of others than expected."""
    return _text(f"{column} is {word} other columns than expected", "", *_compared(expected, seen, forms))


def several(asked: str, found: Sequence[str]) -> str:
    """A name that could be several."""
    return _text(f"{asked} could be {len(found)}, name one in full:", *(f"  {each}" for each in sorted(found)))


def unknown(asked: str, problem: str, alike: Sequence[str], seen: Sequence[Flow]) -> str:
    """A name that is none."""
    hint = f"; did you mean {_or(alike)}?" if alike else ""
    return _text(f"{asked} {problem} in this test{hint}", "", *_seen(seen))


def no_golden(file: Path, seen: Sequence[Flow]) -> str:
    """A golden file that is not there."""
    return _text(f"there is no golden file {file}: run {_UPDATE} once, look at it and commit it", "", *_seen(seen))


def other_than_golden(file: Path, expected: Sequence[Flow], seen: Sequence[Flow]) -> str:
    """Flows that differ from those of a golden file."""
    before, after = ([line for flow in flows for line in _lines(flow)] for flows in (expected, seen))
    return _text(
        f"the lineage is not that of {file}; where it is right as it is now: {_UPDATE}",
        "- expected",
        "+ seen",
        "",
        *(line for line in ndiff(before, after) if not line.startswith("?")),
    )


def nothing_seen(figures: Iterable[tuple[Stats, Stats]]) -> str:
    """No lineage, with what the hook has counted since the test began, and what to do."""
    since = [_since(before, now) for before, now in figures]
    executions = sum(each.pop("executions") for each in since)
    reasons = [f"  {reason}: {number}" for each in since for reason, number in each.items() if number > 0]
    if not executions:
        return _text(
            "no lineage was seen: Spark has run nothing in the session that is watched since the test began",
            "  run the job in the test itself; where a fixture runs it, let that fixture ask for `lineage` too",
            "  a DataFrame that nothing writes is not run",
            "  a job with a session of its own: lineage.attach(session) before it runs",
            *reasons,
        )
    return _text(
        f"no lineage was seen: of {counted(executions, 'execution')} since the test began none has written a dataset that "
        "is known",
        *(reasons or ["  nothing was left out or not understood: the job reads, but does not write"]),
    )


def _since(before: Stats, now: Stats) -> dict[str, int]:
    """What has been counted since, by reason; `executions` first."""
    counts = {"executions": now["executions"] - before["executions"], "failed": now["failed"] - before["failed"]}
    parts: tuple[tuple[str, Mapping[str, int], Mapping[str, int]], ...] = (
        ("", before["captured"], now["captured"]),
        ("lost: ", before["listener"], now["listener"]),
        ("error: ", before["errors"], now["errors"]),
        ("left out by ", _left_out(before), _left_out(now)),
    )
    for prefix, was, is_ in parts:
        counts |= {f"{prefix}{reason}": number - was.get(reason, 0) for reason, number in is_.items()}
    return counts


def _left_out(stats: Stats) -> Counter[str]:
    left_out = stats["left_out"]
    return Counter(left_out["datasets"]) + Counter(left_out["processes"])


def _compared(expected: Sequence[str], seen: Sequence[str], forms: Callable[[str], Sequence[str]]) -> Iterator[str]:
    """A line for each name: as expected, missing, or not expected."""
    meant = {each: meant_by(each, seen, forms) for each in expected}
    found = {names[0] for names in meant.values() if len(names) == 1}
    doubtful = {name for names in meant.values() if len(names) > 1 for name in names}
    left = [name for name in seen if name not in found]
    notes = {name: "as expected" for name in seen if name in found}
    notes |= {name: "seen" if name in doubtful else "seen, not expected" for name in left}
    for each, names in meant.items():
        if len(names) > 1:
            notes[each] = f"could be {_or(names)}"
        elif not names:
            alike = near(each, left)
            notes[each] = f"expected, not seen{f'; did you mean {_or(alike)}?' if alike else ''}"
    width = max(map(len, notes), default=0)
    yield from (f"  {name:<{width}}  {note}" for name, note in sorted(notes.items()))


def _or(names: Sequence[str]) -> str:
    return " or ".join(names)


def _seen(flows: Sequence[Flow]) -> Iterator[str]:
    yield "seen in this test:"
    for flow in flows[:_MOST_FLOWS]:
        yield f"  {_ends(flow)}"
    if len(flows) > _MOST_FLOWS:
        yield f"  … and {len(flows) - _MOST_FLOWS} more flows"


def _lines(flow: Flow) -> Iterator[str]:
    yield _ends(flow)
    for arrow, columns in (("◀─", flow.columns), ("◁┄", flow.influences)):
        yield from (f"    {column} {arrow} {', '.join(sources)}" for column, sources in columns.items())


def _ends(flow: Flow) -> str:
    return f"{', '.join(flow.inputs) or 'no dataset'} ──▶ {', '.join(flow.outputs)}"


def _text(*lines: str) -> str:
    """The lines as one text; names in them steer no terminal."""
    kept = [writable(line, None) for line in lines[:_MOST_LINES]]
    more = [f"… and {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
    return "\n".join([*kept, *more])
