"""Draws what messages say for a terminal: who flows into whom, and what each column is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sac_kafka.errors import MessageError
from sac_kafka.readable.lineage import said
from sac_kafka.readable.names import as_shown
from sac_kafka.readable.origins import Made, origins
from sac_kafka.readable.told import ColumnFlow, ToldChange, ToldColumn, ToldProcess
from sac_kafka.readable.widths import padded, width

WIDTH = 100
"""The longest name or expression in characters; a longer name loses its middle, a longer expression its end."""
_WIDEST_NAME = 60
_MAX_COLUMNS = 50
_SIGNS = {"described": "+", "altered": "~ altered", "dropped": "- dropped"}
_ASCII = str.maketrans(dict(zip("─┐┤┴├└│┄▶▷◀◁…", "-.|'|`|.>><<~", strict=True)) | {"→": "->"})
_NO_DATASET = "no dataset"
_EXPECTED = (("status", "succeeded"), ("lineage", "complete"))
"""Facts that are worth no word."""
_NO_OUTPUT = "(read by the driver)"
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters, ends of lines, and what turns the direction of writing: names may hold them."""


def text(values: Sequence[bytes], encoding: str | None = None) -> str:
    """Draw a record, whose parts these are, for a stream of that encoding; what cannot be read is said in a line."""
    if len(values) > 1:
        return (
            f"a message of {len(values)} parts, {sum(map(len, values)):,} bytes: see it with atlas.client.type = file\n"
        )
    try:
        drawn = [line for each in said(values[0]) for line in lines(each)]
    except MessageError as e:
        drawn = [f"a message that cannot be shown: {e}"]
    return "".join(f"{writable(line, encoding)}\n" for line in drawn)


def writable(drawn: str, encoding: str | None) -> str:
    """A line in other characters where the encoding lacks those it is drawn with; what steers a terminal is escaped."""
    drawn = _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), drawn)
    if encoding is None:
        return drawn
    try:
        drawn.encode(encoding)
    except UnicodeEncodeError:
        return drawn.translate(_ASCII).encode(encoding, "replace").decode(encoding)
    return drawn


def lines(each: ToldProcess | ToldChange) -> Iterator[str]:
    """The lines of a process or a change."""
    each = as_shown(each)
    if isinstance(each, ToldChange):
        details = f": {_cut(each.details, WIDTH * 2)}" if each.details else ""
        yield f"{_SIGNS[each.verb]} {each.type_name} {shortened(each.name, WIDTH)}{details}"
        return
    yield from _datasets(each)
    yield from _columns(each.columns)
    through = f"through the driver: {each.through_driver}" if each.through_driver else ""
    yield from (f"    {_cut(text, WIDTH * 2)}" for text in (through, each.constants, each.rows) if text)
    yield ""


def ways(made: Made, column: ToldColumn) -> Iterator[str]:
    """The ways back from a column, each of its columns a line with how the one before is made of it.

    What influences a column, and what it is made of that is no column, stands once, below it.
    """
    shown: set[ToldColumn] = set()
    for way in origins(made, column):
        yield _full(way[0])
        yield from _influences(made, way[0], shown)
        for output, source in pairwise(way):
            how = {flow.expression for flow in made[output] if not flow.influences and source in flow.sources} - {""}
            expression = f"   {_cut(' | '.join(sorted(how)), WIDTH)}" if how else ""
            yield f"    ◀─ {_full(source)}{expression}"
            yield from _influences(made, source, shown)


def _influences(made: Made, column: ToldColumn, shown: set[ToldColumn]) -> Iterator[str]:
    if column in shown:
        return
    shown.add(column)
    for flow in made.get(column, ()):
        if flow.influences:
            sources = ", ".join(map(_full, flow.sources))
            yield f"        ◁┄ {shortened(sources, WIDTH)}   {_cut(flow.expression, WIDTH)}".rstrip()
        elif not flow.sources:
            yield f"        = {_cut(flow.expression, WIDTH) or '(comes from no column)'}"


def _datasets(process: ToldProcess) -> Iterator[str]:
    """The inputs below each other, with an arrow from the last one to the outputs."""
    if not process.outputs and not process.inputs:
        name = shortened(process.name)
        yield f"more columns of {name}" if process.is_of_columns_alone else f"{name}: {_NO_DATASET} on either side"
        return
    none = f"({process.other_sources or _NO_DATASET})"
    inputs = [shortened(each, WIDTH) for each in process.inputs or (none,)]
    outputs = ", ".join(shortened(each, WIDTH) for each in process.outputs) or _NO_OUTPUT
    widest = min(max(map(width, inputs)), _WIDEST_NAME)
    last = len(inputs) - 1
    for i, name in enumerate(inputs):
        arrow = "─┐" if i == 0 else "─┤"
        if i == last:
            arrow = f"{'─┴' if last else '──'}▶ {outputs}{_facts(process)}"
        yield f"{padded(name, widest)} {arrow}"


def _facts(process: ToldProcess) -> str:
    facts = process.facts or {}
    shown = [f"{key.replace('_', ' ')} {value}" for key, value in facts.items() if (key, value) not in _EXPECTED]
    return f"   ({', '.join(shown)})" if shown else ""


def _columns(columns: tuple[ColumnFlow, ...]) -> Iterator[str]:
    """A line a column: what flows into it, then how it is computed."""
    shown = columns[:_MAX_COLUMNS]
    names = min(max((width(named(each.output.name)) for each in shown), default=0), _WIDEST_NAME)
    made = [", ".join(_of(column) for column in each.sources) for each in shown]
    sources = min(
        max((width(each) for each, flow in zip(made, shown, strict=True) if flow.expression), default=0), _WIDEST_NAME
    )
    for flow, source in zip(shown, made, strict=True):
        arrow = "◁┄" if flow.influences else "◀─"
        how = f"   {_cut(flow.expression, WIDTH)}" if flow.expression else ""
        made_of = padded(shortened(source, WIDTH), sources if how else 0)
        yield f"    {padded(named(flow.output.name), names)} {arrow} {made_of}{how}"
    if len(columns) > len(shown):
        yield f"    … and {len(columns) - len(shown)} more columns"


def _full(column: ToldColumn) -> str:
    return shortened(f"{column.dataset}.{named(column.name)}", WIDTH)


def _of(column: ToldColumn) -> str:
    """A column with the last part of its dataset's name."""
    dataset = column.dataset.rstrip("/").rpartition("/")[2] or column.dataset
    return f"{dataset}.{named(column.name)}"


def named(name: str) -> str:
    """Give what people see of a column's name: one that is empty, or blank, would be nothing.

    >>> named(" "), named("id")
    ('(no name)', 'id')
    """
    return name if name.strip() else "(no name)"


def shortened(name: str, most: int = WIDTH) -> str:
    """Give a name, one that is longer than `most` characters without its middle.

    >>> shortened("abcdefgh", 5)
    'ab…gh'
    """
    if len(name) <= most:
        return name
    return f"{name[: most // 2]}…{name[len(name) - (most - most // 2 - 1) :]}"


def _cut(expression: str, most: int) -> str:
    """An expression, or a sentence, up to a blank within its last third where it is too long."""
    if len(expression) <= most:
        return expression
    kept = expression[: most - 1]
    blank = kept.rfind(" ")
    return f"{kept[:blank] if blank >= most * 2 // 3 else kept}…"
