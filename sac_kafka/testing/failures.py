"""Format the texts of failed assertions: expectation, captured lineage, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from sac_kafka.readable.drawing import writable
from sac_kafka.readable.flows import Flow
from sac_kafka.readable.name_lookup import matches, similar_names
from sac_kafka.readable.widths import padded, width
from sac_kafka.stats import Stats, counted

_MAX_FLOWS = 20
_MAX_COLUMNS = 40
_MAX_LINES = 200
_INDENT = "    "
_AROUND = 3
"""Context lines before and after a line that differs."""
_UPDATE = "pytest --lineage-update"


def other_inputs(output: str, expected: Sequence[str], of_output: Sequence[Flow], seen: Sequence[Flow]) -> str:
    """Report that no flow to the output has the expected inputs, compared with the most similar flow."""
    nearest = min(of_output, key=lambda flow: len(set(expected) ^ set(flow.inputs)))
    return _text(
        f"{output} is not made of the expected datasets",
        "",
        *_compared(expected, nearest.inputs, lambda name: (name,)),
        *_incomplete(nearest.missing),
        "",
        *_seen(seen),
    )


def unknown_inputs(output: str, reasons: Sequence[str]) -> str:
    """Report that the inputs are as expected, but further inputs are unknown."""
    return _text(
        f"{output} is made of the expected datasets, and of something that the hook does not understand",
        "",
        *(f"  {each}" for each in reasons),
        "",
        "what helps: docs/completeness.md; to test the rest without it:",
        f"  assert_flow(…, missing={list(reasons)})",
    )


def partial(of: str, reasons: Sequence[str]) -> str:
    """Return the warning that the lineage of an answer is incomplete."""
    return writable(f"the lineage of {of} is incomplete: {'; '.join(reasons)} (docs/completeness.md)", None)


def _incomplete(reasons: Iterable[str]) -> Iterator[str]:
    yield from (f"  not known: {each}" for each in reasons)


def other_columns(
    column: str,
    word: str,
    expected: Sequence[str],
    seen: Sequence[str],
    missing: Iterable[str],
    forms: Callable[[str], Sequence[str]],
) -> str:
    """Report that a column has other sources than expected; `missing` has the reasons for incomplete lineage."""
    compared = (*_compared(expected, seen, forms), *_incomplete(missing))
    return _text(f"{column} is not {word} the expected columns", "", *compared)


def several(asked: str, found: Sequence[str]) -> str:
    """Report that a name is ambiguous."""
    return _text(f"{asked} could be any of {len(found)}, name one in full:", *(f"  {each}" for each in sorted(found)))


def unknown(asked: str, alike: Sequence[str], seen: Sequence[Flow], unreported: Mapping[str, int]) -> str:
    """Report that a dataset was not written; `unreported` has the writes without a flow, by reason."""
    more = ["", "written, and not understood:", *(f"  {why}: {number}" for why, number in unreported.items())]
    return _text(
        f"{asked or 'no name'} is not written in this test{_hint(alike)}",
        "",
        *_seen(seen),
        *(more if unreported else ()),
    )


def unknown_column(
    asked: str, alike: Sequence[str], columns: Mapping[str, Sequence[str]], missing: Mapping[str, Sequence[str]]
) -> str:
    """Report that a column is unknown.

    Args:
        asked: The name that the test used.
        alike: Similar names.
        columns: The datasets that it may belong to, with their known columns.
        missing: The reasons for incomplete lineage, by dataset.
    """
    known: list[str] = []
    for dataset, names in list(columns.items())[:_MAX_FLOWS]:
        known.append(f"known columns of {dataset}:{'' if names else ' none'}")
        known += [f"  {name}" for name in sorted(names)[:_MAX_COLUMNS]]
        known += [f"  … and {len(names) - _MAX_COLUMNS} more"] if len(names) > _MAX_COLUMNS else []
        known += _incomplete(missing.get(dataset, ()))
    if len(columns) > _MAX_FLOWS:
        known.append(f"… and {len(columns) - _MAX_FLOWS} more datasets")
    return _text(f"{asked or 'no name'} is not a known column of what this test has written{_hint(alike)}", "", *known)


def _hint(alike: Sequence[str]) -> str:
    return f"; did you mean {_or(alike)}?" if alike else ""


def no_golden(file: Path, seen: Sequence[Flow]) -> str:
    """Report that a golden file does not exist."""
    return _text(f"there is no golden file {file}: run {_UPDATE} once, look at it and commit it", "", *_seen(seen))


def other_than_golden(file: Path, expected: Sequence[Flow], seen: Sequence[Flow]) -> str:
    """Report that the flows differ from those of a golden file."""
    before, after = ([line for flow in flows for line in _lines(flow)] for flows in (expected, seen))
    return _text(
        f"the lineage differs from {file}; if it is right as it is now: {_UPDATE}",
        "- expected",
        "+ seen",
        "",
        *_differences(before, after),
    )


def _differences(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield a diff of the lines, with context."""
    marked: list[tuple[str, str]] = []
    for _, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        is_same = before[start:end] == after[new_start:new_end]
        marked += [("  " if is_same else "- ", line) for line in before[start:end]]
        marked += [] if is_same else [("+ ", line) for line in after[new_start:new_end]]
    shown: set[int] = set()
    flow = 0
    for at, (mark, line) in enumerate(marked):
        flow = flow if line.startswith(_INDENT) else at
        if mark.strip():
            shown |= {flow, *range(at - _AROUND, at + _AROUND + 1)}
    for at, (mark, line) in enumerate(marked):
        if at in shown:
            yield mark + line
        elif at == 0 or at - 1 in shown:
            yield "  …"


ENDED = (
    "the job has called detach in this test: what ran after that was not seen. Ask before, or let the job leave the hook "
    "attached"
)
"""Addition to a failure if the job has called `detach`."""


def nothing_seen(figures: Iterable[tuple[Stats, Stats]]) -> str:
    """Report that no lineage was captured, with the hook's counters since the start of the test."""
    since = [_since(before, now) for before, now in figures]
    executions = sum(each.pop("executions") for each in since)
    reasons = [f"  {reason}: {number}" for each in since for reason, number in each.items() if number > 0]
    if not executions:
        return _text(
            "no lineage was seen: Spark has run no query in the session that is watched since the test began",
            "  run the job in the test itself; where a fixture runs it, let that fixture ask for `lineage` too",
            "  a DataFrame that nothing writes is not run",
            "  what a function writes by itself (foreach, foreachPartition, open) is nothing that Spark knows of",
            "  a session that was there before the test, and is in no fixture: lineage.attach(session) before the job runs",
            *reasons,
        )
    return _text(
        f"no lineage was seen: Spark has run {counted(executions, 'query', 'queries')} since the test began, and written no "
        "dataset that is known",
        *(reasons or ["  nothing was left out or not understood: the job reads, but does not write"]),
    )


def _since(before: Stats, now: Stats) -> dict[str, int]:
    """Return the differences of the counters, by reason; `executions` first."""
    counts = {
        "executions": now["executions"] - before["executions"],
        "queries that failed": now["failed"] - before["failed"],
    }
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
    """Yield a line per name: as expected, missing, or not expected."""
    meant = {each: matches(each, seen, forms) for each in expected}
    found = {names[0] for names in meant.values() if len(names) == 1}
    doubtful = {name for names in meant.values() if len(names) > 1 for name in names}
    left = [name for name in seen if name not in found]
    notes = {name: "as expected" for name in seen if name in found}
    notes |= {name: "seen" if name in doubtful else "seen, not expected" for name in left}
    for each, names in meant.items():
        if len(names) > 1:
            notes[each] = f"could be {_or(names)}"
        elif not names:
            notes[each] = f"expected, not seen{_hint(similar_names(each, left))}"
    widest = max(map(width, notes), default=0)
    yield from (f"  {padded(name, widest)}  {note}" for name, note in sorted(notes.items()))


def _or(names: Sequence[str]) -> str:
    return " or ".join(names)


def _seen(flows: Sequence[Flow]) -> Iterator[str]:
    yield "seen in this test:"
    for flow in flows[:_MAX_FLOWS]:
        yield f"  {_ends(flow)}"
    if len(flows) > _MAX_FLOWS:
        yield f"  … and {len(flows) - _MAX_FLOWS} more flows"


def _lines(flow: Flow) -> Iterator[str]:
    yield _ends(flow)
    yield from (f"{_INDENT}not known: {reason}" for reason in flow.missing)
    yield from (f"{_INDENT}decided by values of {name}" for name in flow.decided_by)
    for arrow, columns in (("◀─", flow.columns), ("◁┄", flow.influences)):
        yield from (f"{_INDENT}{column} {arrow} {', '.join(sources)}" for column, sources in columns.items())


def _ends(flow: Flow) -> str:
    return f"{', '.join(flow.inputs) or 'no dataset'} ──▶ {', '.join(flow.outputs)}"


def _text(*lines: str) -> str:
    """Join the lines, with control characters escaped."""
    kept = [writable(line, None) for line in lines[:_MAX_LINES]]
    more = [f"… and {len(lines) - _MAX_LINES} more lines"] if len(lines) > _MAX_LINES else []
    return "\n".join([*kept, *more])
