"""How lines look in a terminal: which part of a line is what. A look only adds colour; the text stays what it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

Look = tuple[re.Pattern[str], ...]
"""Forms of lines: the first that fits a line says by the names of its groups what the parts are.

A group is called as one of the styles, a number behind it tells two of them apart; `body` is where a line that is too long
is continued.
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
        "body": "",
    }
)
_NUMBER = "0123456789"
_LOOKED_AT = 1_000
"""Characters of a line: what is behind them keeps the colour of the terminal, as some forms take the square of a length."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a line, by its characters, and the style that rich gives it."""

    start: int
    end: int
    style: str


@dataclass(frozen=True, slots=True)
class Marked:
    """The parts of a line; `hang` is the column where it is continued, if it has to be."""

    marks: tuple[Mark, ...] = ()
    hang: int = 4


def marked(line: str, look: Look) -> Marked:
    """Give the parts of a line.

    >>> marked("ok    java   17", DOCTOR)
    Marked(marks=(Mark(start=0, end=2, style='green'), Mark(start=6, end=10, style='bold')), hang=13)
    """
    found = next(filter(None, (form.fullmatch(line, 0, _LOOKED_AT) for form in look)), None)
    if found is None:
        return Marked(hang=len(line) - len(line.lstrip()) + 4)
    groups = [(name.rstrip(_NUMBER), found.span(name)) for name, text in found.groupdict().items() if text]
    body = next((start for name, (start, _) in groups if name == "body"), len(line) - len(line.lstrip()) + 4)
    return Marked(tuple(Mark(start, end, _STYLES[name]) for name, (start, end) in groups if _STYLES[name]), body)


def _look(*forms: str) -> Look:
    return tuple(re.compile(form) for form in forms)


PLAIN: Look = ()
DOCTOR = _look(r"(?:(?P<good>ok)|(?P<doubt>warn)|(?P<bad>FAIL)|(?P<quiet>[-?])) +(?P<strong>\S+) +(?P<body>.*)")
DRAWN = _look(
    r" *[^▶]*?(?P<quiet>─[─┴]▶) (?P<strong>.*?)(?P<quiet2>   \(.*\))?",  # the last input, and what is made of it
    r" *.*(?P<quiet>─[┐┤])",
    r" *[^◀◁]*?(?P<quiet>◀─) (?P<body>\S.*?)(?P<made>   .*)?",  # a column, and how it is made
    r" *[^◀◁]*?(?P<quiet>◁┄ (?P<body>.*))",
    r" +(?P<made>= .*)",
    r" *(?P<good>\+) \S+ (?P<strong>.*?)(?P<quiet>: .*)?",
    r" *(?P<doubt>~ altered) \S+ (?P<strong>.*?)(?P<quiet>: .*)?",
    r" *(?P<gone>- dropped) \S+ (?P<strong>.*?)(?P<quiet>: .*)?",
    r"(?P<quiet>\d{4}-\S+Z|at no known time)  (?P<strong>.*?)  (?P<quiet2>[A-Z_0-9]+  [\d,]+ bytes?, .*)",
    r" +(?P<quiet>\d+ (?:column flows?|entity|entities)\b.*)",
    r"(?P<strong>\S.*)",
    r" +(?P<quiet>.*)",
)
"""What messages say, as sac_kafka.readable draws it; a message's block has all of this a level deeper."""
TREE = _look(
    r"(?P<quiet>(?:\d+: )?[ │]*[├└][─┄◀◁]+[▶▷─┄]+) (?P<body>\S.*?)(?P<made>   .*?)?(?P<quiet2>   by .*)",
    r"(?P<strong>\S.*)",
)
DIFFERENCES = _look(
    r"  (?P<good>\+ .*)",
    r"  (?P<gone>- .*)",
    r"  (?P<doubt>~) (?P<strong>.*?): (?P<body>(?P<gone>.*)(?P<quiet> is now )(?P<good>.*))",
    r"(?P<strong>\S.*)",
)
LANDED = _look(
    r"(?:(?P<doubt>waiting|shell)|(?P<bad>refused)) +(?P<body>\S+ (?P<strong>.*?)): .*", r"(?P<strong>\d+ of .*)"
)
FAULTS = _look(r"(?:(?P<doubt>doubt)|(?P<bad>wrong))  (?P<body>(?P<strong>[^:]*): .*)")
TYPES = _look(
    r"(?P<strong>[^:\s]+): (?P<body>.*)(?P<quiet>  \([^()]*\))",
    r"(?P<good>nothing is missing|(?:updated|\w+: made) .*)",
    r"(?P<strong>\d+ .*)",
)
SETTINGS = _look(
    r"  (?P<strong>\S+)(?P<quiet> = )(?P<body>.*?)(?P<quiet2>    \[.*\])?",
    r"(?P<doubt>Warning:) (?P<body>.*)",
    r"(?P<quiet>Configuration: )(?P<body>.*)",
    r"(?P<strong>[A-Z]\S*|\S+\.\*|Kafka client.*)",
)
MAPPED = _look(r"  (?P<quiet>\S[^ ]*(?: [^ ]+)*? {2,})(?P<body>.*)", r"(?P<strong>\S+ .*)")
REASONS = _look(r" *(?P<strong>\d+)  (?P<body>.*)")
