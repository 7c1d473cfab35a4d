"""Define the colours of output lines in a terminal by regular expressions; the text itself is never changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

LineStyle = tuple[re.Pattern[str], ...]
"""Patterns of a kind of output; the named groups of the first one that matches a line are its styled parts.

The name of a group is a key of `_STYLES`, with a digit appended if it occurs twice.
"""

_STYLES: Mapping[str, str] = MappingProxyType(
    {
        "good": "green",
        "doubt": "yellow",
        "bad": "bold red",
        "gone": "red",
        "strong": "bold",
        "quiet": "dim",
        "made": "cyan",
    }
)
_NUMBER = "0123456789"
_MAX_MATCHED = 1_000
"""Number of characters that are matched and coloured: the time of some patterns is quadratic in it."""


@dataclass(frozen=True, slots=True)
class Span:
    """Range of characters of a line with a style of rich."""

    start: int
    end: int
    style: str


def style_line(line: str, style: LineStyle) -> tuple[Span, ...]:
    """Return the styled parts of a line.

    >>> style_line("ok    java   17", DOCTOR)
    (Span(start=0, end=2, style='green'), Span(start=6, end=10, style='bold'))
    """
    found = next(filter(None, (pattern.fullmatch(line, 0, _MAX_MATCHED) for pattern in style)), None)
    if found is None:
        return ()
    return tuple(
        Span(*found.span(name), _STYLES[name.rstrip(_NUMBER)]) for name, text in found.groupdict().items() if text
    )


def _style(*patterns: str) -> LineStyle:
    return tuple(re.compile(pattern) for pattern in patterns)


PLAIN: LineStyle = ()
DOCTOR = _style(r"(?:(?P<good>ok)|(?P<doubt>warn)|(?P<bad>FAIL)|(?P<quiet>[-?])) +(?P<strong>\S+) +.*")
LINEAGE = _style(
    # the last input, and the output
    r" *[^▶]*?(?P<quiet>─[─┴]▶) (?P<strong>.*?)(?:(?P<bad>   \(failed\b.*\))|(?P<quiet2>   \(.*\)))?",
    r" *.*(?P<quiet>─[┐┤])",
    r" *[^◀◁]*?(?P<quiet>◀─) \S.*?(?P<made>   .*)?",  # a source column, and the expression
    r" *[^◀◁]*?(?P<quiet>◁┄ .*)",
    r" +(?P<made>= .*)",
    r" *(?:(?P<good>defined)|(?P<doubt>altered)|(?P<gone>dropped)) \S+ (?P<strong>.*?)(?P<quiet>: .*)?",
    r"(?P<quiet>\d{4}-\S+Z|unknown time)  (?P<strong>.*?)  (?P<quiet2>[A-Z_0-9]+  [\d,]+ bytes?, .*)",
    r" +(?P<quiet>\d+ (?:column flows?|entity|entities)\b.*)",
    r"(?P<strong>\S.*)",
    r" +(?P<quiet>.*)",
)
"""Lineage as drawn by `sac_kafka.tools.graph`; `tail` indents it by one more level."""
TREE = _style(
    r"(?P<quiet>(?:\d+: )?[ │]*[├└][─┄◀◁]+[▶▷─┄]+) \S.*?(?P<made>   .*?)?(?P<quiet2>   by .*)",
    r"(?P<strong>\S.*)",
)
DIFFERENCES = _style(
    r"  (?P<good>\+ .*)",
    r"  (?P<gone>- .*)",
    r"  (?P<doubt>~) (?P<strong>.*?): (?P<gone>.*)(?P<quiet> is now )(?P<good>.*)",
    r"(?P<strong>\S.*)",
)
VERIFICATION = _style(
    r"(?:(?P<doubt>pending|shell)|(?P<bad>rejected)) +\S+ (?P<strong>.*?): .*", r"(?P<strong>\d+ of .*)"
)
VIOLATIONS = _style(r"(?:(?P<doubt>doubt)|(?P<bad>wrong))  (?P<strong>[^:]*): .*")
TYPES = _style(
    r"(?P<strong>[^:\s]+): .*(?P<quiet>  \([^()]*\))",
    r"(?P<good>no differences|(?:updated|\w+: created) .*)",
    r"(?P<strong>\d+ .*)",
)
SETTINGS = _style(
    r"  (?P<strong>\S+)(?P<quiet> = ).*?(?P<quiet2>    \[.*\])?",
    r"(?P<doubt>Warning:) .*",
    r"(?P<quiet>Configuration: ).*",
    r"(?P<strong>[A-Z]\S*|\S+\.\*|Kafka client.*)",
)
MAPPING = _style(r"  (?P<quiet>\S[^ ]*(?: [^ ]+)*? {2,}).*", r"(?P<strong>\S+ .*)")
REASONS = _style(r" *(?P<strong>\d+)  .*")
