"""Format the texts of failed assertions: expected lineage, captured lineage, missing parts, and how to proceed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from sac_kafka.model.gaps import INPUTS_EXCLUDED, GapSeverity, gaps_beyond_columns, severity_of
from sac_kafka.stats import Stats, with_noun
from sac_kafka.tools.graph.drawing import pad, width, writable
from sac_kafka.tools.graph.flows import Flow
from sac_kafka.tools.graph.name_lookup import matches, similar_names

_MAX_FLOWS = 20
_MAX_COLUMNS = 40
_MAX_LINES = 200
_INDENT = "    "
_CONTEXT_LINES = 3
"""Context lines before and after a line that differs."""
_UPDATE = "pytest --lineage-update"
ENDED = (
    "the job called detach in this test, so later lineage was not captured: check the lineage before that, or leave the hook "
    "attached"
)
"""Addition to a failure if the job has called `detach`."""


def other_inputs(output: str, expected: Sequence[str], of_output: Sequence[Flow], seen: Sequence[Flow]) -> str:
    """Report that no flow to the output has the expected inputs, compared with the most similar flow."""
    nearest = min(of_output, key=lambda flow: len(set(expected) ^ set(flow.inputs)))
    return _text(
        f"{output} does not have the expected inputs",
        "",
        *_compare(expected, nearest.inputs, lambda name: (name,)),
        *_incomplete(nearest.missing),
        "",
        *_seen(seen),
    )


def unknown_inputs(output: str, reasons: Sequence[str]) -> str:
    """Report that the inputs are as expected, but further inputs are unknown."""
    return _text(
        f"{output} has the expected inputs, but further inputs are unknown",
        "",
        *(f"  {reason}" for reason in reasons),
        "",
        "see docs/completeness.md; to accept these reasons:",
        f"  assert_flow(…, missing={list(reasons)})",
    )


def partial(what: str, reasons: Sequence[str]) -> str:
    """Return the warning that the lineage of an answer is incomplete."""
    return writable(f"the lineage of {what} is incomplete: {'; '.join(reasons)} (docs/completeness.md)", None)


def _incomplete(reasons: Iterable[str]) -> Iterator[str]:
    yield from (f"  not known: {reason}" for reason in reasons)


def other_columns(
    column: str,
    word: str,
    expected: Sequence[str],
    seen: Sequence[str],
    missing: Iterable[str],
    forms: Callable[[str], Sequence[str]],
) -> str:
    """Report that a column has other sources than expected; `missing` has the reasons for incomplete lineage."""
    compared = (*_compare(expected, seen, forms), *_incomplete(missing))
    return _text(f"{column} is not {word} the expected columns", "", *compared)


def ambiguous(asked: str, found: Sequence[str]) -> str:
    """Report that a name is ambiguous."""
    return _text(f"{asked} is ambiguous, use one of these names:", *(f"  {each}" for each in sorted(found)))


def unknown(asked: str, alike: Sequence[str], seen: Sequence[Flow], unreported: Mapping[str, int]) -> str:
    """Report that a dataset was not written; `unreported` has the writes without a flow, by reason."""
    more = ["", "writes without lineage:", *(f"  {why}: {number}" for why, number in unreported.items())]
    return _text(
        f"{asked or 'no name'} was not written in this test{_hint(alike)}",
        "",
        *_seen(seen),
        *(more if unreported else ()),
    )


def unknown_column(
    asked: str, alike: Sequence[str], columns: Mapping[str, Sequence[str]], missing: Mapping[str, Sequence[str]]
) -> str:
    """Report that a column is unknown.

    `columns` are the datasets that it may belong to, with their known columns; `missing` the reasons for incomplete lineage.
    """
    known: list[str] = []
    for dataset, names in list(columns.items())[:_MAX_FLOWS]:
        known.append(f"known columns of {dataset}:{'' if names else ' none'}")
        known += [f"  {name}" for name in sorted(names)[:_MAX_COLUMNS]]
        known += [f"  … and {len(names) - _MAX_COLUMNS} more"] if len(names) > _MAX_COLUMNS else []
        known += _incomplete(missing.get(dataset, ()))
    if len(columns) > _MAX_FLOWS:
        known.append(f"… and {len(columns) - _MAX_FLOWS} more datasets")
    return _text(f"{asked or 'no name'} is not a known column of the written datasets{_hint(alike)}", "", *known)


def _hint(alike: Sequence[str]) -> str:
    return f"; did you mean {_or(alike)}?" if alike else ""


def no_golden(file: Path, seen: Sequence[Flow]) -> str:
    """Report that a golden file does not exist."""
    return _text(
        f"the golden file {file} does not exist: run {_UPDATE}, check the file and commit it", "", *_seen(seen)
    )


def no_expressions(file: Path) -> str:
    """Return the warning that a golden file was written without expressions."""
    return writable(
        f"{file} has no expressions and row conditions, so they are not compared: {_UPDATE} adds them, expressions=False "
        "accepts that",
        None,
    )


def other_than_golden(file: Path, expected: Sequence[Flow], seen: Sequence[Flow]) -> str:
    """Report that the flows differ from those of a golden file."""
    before, after = ([line for flow in flows for line in _lines(flow)] for flows in (expected, seen))
    return _text(
        f"the lineage differs from {file}; if the new lineage is correct, run {_UPDATE}",
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
            shown |= {flow, *range(at - _CONTEXT_LINES, at + _CONTEXT_LINES + 1)}
    for at, (mark, line) in enumerate(marked):
        if at in shown:
            yield mark + line
        elif at == 0 or at - 1 in shown:
            yield "  …"


def nothing_seen(figures: Iterable[tuple[Stats, Stats]]) -> str:
    """Report that no lineage was captured, with the hook's counters since the start of the test."""
    since = [_since(before, now) for before, now in figures]
    executions = sum(each.pop("executions") for each in since)
    reasons = [f"  {reason}: {number}" for each in since for reason, number in each.items() if number > 0]
    if not executions:
        return _text(
            "no lineage was captured: the watched session has run no query since the test began",
            "  run the job in the test itself; if a fixture runs it, request `lineage` in that fixture",
            "  a DataFrame is not executed before an action, such as a write",
            "  Spark does not know of data written by user functions (foreach, foreachPartition, open)",
            "  for a session created before the test and not by a fixture, call lineage.attach(session) before the job runs",
            *reasons,
        )
    return _text(
        f"no lineage was captured: Spark has run {with_noun(executions, 'query', 'queries')} since the test began, but none "
        "wrote to a known dataset",
        *(reasons or ["  no write was excluded or not understood: the job reads, but does not write"]),
    )


def _since(before: Stats, now: Stats) -> dict[str, int]:
    """Return the differences of the counters, by reason; `executions` first."""
    counts = {
        "executions": now["executions"] - before["executions"],
        "failed queries": now["failed"] - before["failed"],
    }
    parts: tuple[tuple[str, Mapping[str, int], Mapping[str, int]], ...] = (
        ("", before["captured"], now["captured"]),
        ("lost: ", before["listener"], now["listener"]),
        ("error: ", before["errors"], now["errors"]),
        ("excluded by ", _count_exclusions(before), _count_exclusions(now)),
    )
    for prefix, was, is_ in parts:
        counts |= {f"{prefix}{reason}": number - was.get(reason, 0) for reason, number in is_.items()}
    return counts


def _count_exclusions(stats: Stats) -> Counter[str]:
    excluded = stats["excluded"]
    return Counter(excluded["datasets"]) + Counter(excluded["processes"])


def _compare(expected: Sequence[str], seen: Sequence[str], forms: Callable[[str], Sequence[str]]) -> Iterator[str]:
    """Yield a line per name: as expected, missing, or not expected."""
    candidates = {each: matches(each, seen, forms) for each in expected}
    found = {names[0] for names in candidates.values() if len(names) == 1}
    ambiguous_names = {name for names in candidates.values() if len(names) > 1 for name in names}
    left = [name for name in seen if name not in found]
    notes = {name: "as expected" for name in seen if name in found}
    notes |= {name: "seen" if name in ambiguous_names else "seen, not expected" for name in left}
    for each, names in candidates.items():
        if len(names) > 1:
            notes[each] = f"could be {_or(names)}"
        elif not names:
            notes[each] = f"expected, not seen{_hint(similar_names(each, left))}"
    widest = max(map(width, notes), default=0)
    yield from (f"  {pad(name, widest)}  {note}" for name, note in sorted(notes.items()))


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
    for columns in (flow.expressions, flow.constants):
        yield from (f"{_INDENT}{column} = {' | '.join(each)}" for column, each in columns.items())
    yield from (f"{_INDENT}{text}" for text in (flow.rows,) if text)


def _ends(flow: Flow) -> str:
    return f"{', '.join(flow.inputs) or 'no dataset'} ──▶ {', '.join(flow.outputs)}"


def _text(*lines: str) -> str:
    """Join the lines, with control characters escaped."""
    kept = [writable(line, None) for line in lines[:_MAX_LINES]]
    more = [f"… and {len(lines) - _MAX_LINES} more lines"] if len(lines) > _MAX_LINES else []
    return "\n".join([*kept, *more])


def of_inputs(flow: Flow) -> list[str]:
    """Return the reasons for unknown inputs of a flow."""
    return _each_once(gaps_beyond_columns(flow.missing))


def of_flows(flows: Iterable[Flow]) -> list[str]:
    """Return the reasons for incomplete flows."""
    return _each_once(reason for flow in flows for reason in flow.missing)


def of_writes(figures: Iterable[tuple[Stats, Stats]]) -> Mapping[str, int]:
    """Return the writes of a test without a flow, by reason."""
    found: Counter[str] = Counter()
    for before, now in figures:
        found += Counter(now["completeness"]["reasons"]) - Counter(before["completeness"]["reasons"])
    return {reason: number for reason, number in found.items() if severity_of(reason) is GapSeverity.FLOW}


def _each_once(reasons: Iterable[str]) -> list[str]:
    return [reason for reason in dict.fromkeys(reasons) if reason != INPUTS_EXCLUDED]
