"""Render lineage as text: inputs and outputs of each process, and the sources of each column."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType

from sac_kafka.errors import MessageError
from sac_kafka.escaping import escape
from sac_kafka.model.facts import COMPLETE, FAILURE, LINEAGE, STATUS, SUCCEEDED
from sac_kafka.tools.graph.objects import FlowsByColumn, paths_to_origins
from sac_kafka.tools.messages.lineage import parse_record
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageColumn, LineageProcess
from sac_kafka.tools.messages.names import with_labels

_WIDE = frozenset({"W", "F"})
_WITHOUT_WIDTH = frozenset({"Mn", "Me", "Cf"})
WIDTH = 100
"""Longest name or expression in characters: longer names lose the middle, longer expressions the end."""
_WIDEST_NAME = 60
_MAX_COLUMNS = 50
_NOUNS = (("_db", "database"), ("_table", "table"), ("_column", "column"))
"""Words for types of catalog objects, by the end of the type's name; other types are displayed by their name."""
_ASCII = str.maketrans(dict(zip("─┐┤┴├└│┄▶▷◀◁…", "-.|'|`|.>><<~", strict=True)) | {"→": "->"})
_NO_DATASET = "no dataset"
_NOTHING: Mapping[LineageColumn, str] = MappingProxyType({})
_EXPECTED_FACT = (LINEAGE.name, COMPLETE)
"""The fact that is not displayed."""
_NO_OUTPUT = "(read by the driver)"


def width(text: str) -> int:
    """Return the number of terminal cells that a text takes.

    >>> width("orders"), width("日報"), width("gro\u0308sse")
    (6, 4, 6)
    """
    return len(text) if text.isascii() else sum(map(_cells, text))


def pad(text: str, cells: int, *, is_right: bool = False) -> str:
    """Pad a text with spaces to a number of cells: on the right, or on the left if `is_right`.

    >>> pad("日報", 6) + "|", pad("7", 3, is_right=True)
    ('日報  |', '  7')
    """
    blanks = " " * (cells - width(text))
    return f"{blanks}{text}" if is_right else f"{text}{blanks}"


def _cells(letter: str) -> int:
    if unicodedata.category(letter) in _WITHOUT_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in _WIDE else 1


def text(values: Sequence[bytes], encoding: str | None = None) -> str:
    """Render the record with these parts for a stream of that encoding; an unreadable message gives one line with the reason."""
    if len(values) > 1:
        return (
            f"a message of {len(values)} parts, {sum(map(len, values)):,} bytes, not displayed; "
            "set atlas.client.type = file to see it\n"
        )
    try:
        drawn = [line for each in parse_record(values[0]) for line in lines(each)]
    except MessageError as e:
        drawn = [f"a message that cannot be displayed: {e}"]
    return "".join(f"{writable(line, encoding)}\n" for line in drawn)


def writable(drawn: str, encoding: str | None) -> str:
    """Escape unsafe characters, and replace characters that the encoding does not have (None: it has all of them)."""
    drawn = escape(drawn)
    if encoding is None:
        return drawn
    try:
        drawn.encode(encoding)
    except UnicodeEncodeError:
        return drawn.translate(_ASCII).encode(encoding, "replace").decode(encoding)
    return drawn


def lines(each: LineageProcess | CatalogChange) -> Iterator[str]:
    """Yield the lines of a process or a change."""
    each = with_labels(each)
    if isinstance(each, CatalogChange):
        details = f": {_cut(each.details, WIDTH * 2)}" if each.details else ""
        noun = next((noun for end, noun in _NOUNS if each.type_name.endswith(end)), each.type_name)
        yield f"{each.verb} {noun} {shorten(each.name, WIDTH)}{details}"
        return
    yield from _datasets(each)
    yield from _columns(each.columns)
    through = f"through the driver: {each.through_driver}" if each.through_driver else ""
    yield from (f"    {_cut(text, WIDTH * 2)}" for text in (through, each.constants, each.rows) if text)
    yield ""


def origin_lines(
    flows: FlowsByColumn, column: LineageColumn, other_sources: Mapping[LineageColumn, str] = _NOTHING
) -> Iterator[str]:
    """Yield the tree from a column back to its origins, a line per column with the expression that uses it.

    Influences and constants of a column are listed once, below its first occurrence. `other_sources` as of `objects`.
    """
    done: set[LineageColumn] = set()
    before: tuple[LineageColumn, ...] = ()
    for path in paths_to_origins(flows, column):
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, path, strict=False)))
        for depth in range(shared, len(path)):
            yield f"{'    ' * depth}{_usage(flows, path[depth - 1], path[depth]) if depth else _full_name(column)}"
            yield from (
                f"{'    ' * (depth + 1)}{line}" for line in _influences(flows, path[depth], other_sources, done)
            )
        before = path


def _usage(flows: FlowsByColumn, output: LineageColumn, source: LineageColumn) -> str:
    how = {flow.expression for flow in flows[output] if not flow.influences and source in flow.sources} - {""}
    expression = f"   {_cut(' | '.join(sorted(how)), WIDTH)}" if how else ""
    return f"◀─ {_full_name(source)}{expression}"


def _influences(
    flows: FlowsByColumn, column: LineageColumn, other_sources: Mapping[LineageColumn, str], done: set[LineageColumn]
) -> Iterator[str]:
    if column in done:
        return
    done.add(column)
    for flow in flows.get(column, ()):
        if flow.influences:
            sources = ", ".join(map(_full_name, flow.sources))
            yield f"◁┄ {shorten(sources, WIDTH)}   {_cut(flow.expression, WIDTH)}".rstrip()
        elif not flow.sources:
            rows = ", ".join(filter(None, [other_sources.get(column), "no source column"]))
            yield f"= {_cut(flow.expression, WIDTH)}" if flow.expression else f"{displayed_name(column.name)}: {rows}"


def _datasets(process: LineageProcess) -> Iterator[str]:
    """Yield a line per input; the last one has the arrow to the outputs."""
    if not process.outputs and not process.inputs:
        name = shorten(process.name)
        yield f"more columns of {name}" if process.is_of_columns_alone else f"{name}: {_NO_DATASET} on either side"
        return
    none = f"({process.other_sources or _NO_DATASET})"
    inputs = [shorten(input_, WIDTH) for input_ in process.inputs or (none,)]
    outputs = ", ".join(shorten(output, WIDTH) for output in process.outputs) or _NO_OUTPUT
    widest = min(max(map(width, inputs)), _WIDEST_NAME)
    last = len(inputs) - 1
    for i, name in enumerate(inputs):
        arrow = "─┐" if i == 0 else "─┤"
        if i == last:
            arrow = f"{'─┴' if last else '──'}▶ {outputs}{_facts(process)}"
        yield f"{pad(name, widest)} {arrow}"


def _facts(process: LineageProcess) -> str:
    facts = dict(process.run_status or {})
    status, failure = facts.pop(STATUS.name, SUCCEEDED), facts.pop(FAILURE.name, "")
    shown = [] if status == SUCCEEDED else [f"{status}: {failure}" if failure else status]
    shown += (f"{key.replace('_', ' ')} {value}" for key, value in facts.items() if (key, value) != _EXPECTED_FACT)
    return f"   ({', '.join(shown)})" if shown else ""


def _columns(columns: tuple[ColumnFlow, ...]) -> Iterator[str]:
    """Yield a line per column: its sources, then the expression."""
    shown = columns[:_MAX_COLUMNS]
    datasets = _short_names(each.dataset for flow in shown for each in flow.sources)
    names = min(max((width(displayed_name(each.output.name)) for each in shown), default=0), _WIDEST_NAME)
    made = [
        ", ".join(f"{datasets[column.dataset]}.{displayed_name(column.name)}" for column in each.sources)
        for each in shown
    ]
    sources = min(
        max((width(each) for each, flow in zip(made, shown, strict=True) if flow.expression), default=0), _WIDEST_NAME
    )
    for flow, source in zip(shown, made, strict=True):
        arrow = "◁┄" if flow.influences else "◀─"
        how = f"   {_cut(flow.expression, WIDTH)}" if flow.expression else ""
        made_of = pad(shorten(source, WIDTH), sources if how else 0)
        yield f"    {pad(displayed_name(flow.output.name), names)} {arrow} {made_of}{how}"
    if len(columns) > len(shown):
        yield f"    … and {len(columns) - len(shown)} more columns"


def _full_name(column: LineageColumn) -> str:
    return shorten(f"{column.dataset}{column.mark}{displayed_name(column.name)}", WIDTH)


def _short_names(datasets: Iterable[str]) -> Mapping[str, str]:
    """Return the last parts of the names of datasets, as many as make them distinct.

    >>> _short_names(["s3a://lake/a/orders", "s3a://lake/b/orders", "sales.orders"])
    {'s3a://lake/a/orders': 'a/orders', 's3a://lake/b/orders': 'b/orders', 'sales.orders': 'sales.orders'}
    """
    names, left = dict[str, str](), dict.fromkeys(datasets)
    parts = {each: each.rstrip("/").split("/") for each in left}
    for length in range(1, max(map(len, parts.values()), default=0)):
        ends = {each: "/".join(parts[each][-length:]) for each in left}
        numbers = Counter(ends.values())
        names |= {each: end for each, end in ends.items() if end and numbers[end] == 1}
        left = dict.fromkeys(each for each in left if each not in names)
    return {part: names.get(part, part) for part in parts}


def displayed_name(name: str) -> str:
    """Return the name of a column, or a placeholder if it is empty or blank.

    >>> displayed_name(" "), displayed_name("id")
    ('(no name)', 'id')
    """
    return name if name.strip() else "(no name)"


def shorten(name: str, max_length: int = WIDTH) -> str:
    """Shorten a name to `max_length` characters by cutting its middle.

    >>> shorten("abcdefgh", 5)
    'ab…gh'
    """
    if len(name) <= max_length:
        return name
    return f"{name[: max_length // 2]}…{name[len(name) - (max_length - max_length // 2 - 1) :]}"


def _cut(expression: str, max_length: int) -> str:
    """Truncate a text to `max_length` characters, at a space if there is one in the last third."""
    if len(expression) <= max_length:
        return expression
    kept = expression[: max_length - 1]
    blank = kept.rfind(" ")
    return f"{kept[:blank] if blank >= max_length * 2 // 3 else kept}…"
