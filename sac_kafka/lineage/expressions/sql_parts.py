"""What a form of SQL is made of: text, operands, and how strongly these must bind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sac_kafka.lineage.expressions.conversions import rebuilt
from sac_kafka.lineage.expressions.function_names import ANY, ATOM, CONVERSIONS, DEFAULTS, METHODS, function_name
from sac_kafka.plan.expressions import Alias, Cast, Expression, Literal, OuterReference
from sac_kafka.plan.functions import Invoke, ReplacedExpression

PIVOT_VALUE = "\x00"
"""Stands for the value of a PIVOT where it is not known yet which of them is meant."""


MARK = "\x01"
"""Stands before the name of a source's column: where a larger step must tell it apart, the name of its relation comes here."""


class Use(NamedTuple):
    """An operand, and how strongly it must bind to stand there without parentheses."""

    expression: Expression
    need: int = ANY


class Field(NamedTuple):
    """The value of a struct's field: its name is written where it is not the value's own; "" is no name."""

    expression: Expression
    name: str


Part = str | Expression | Use | Field
Form = tuple[int, Sequence[Part]]
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def written(e: Expression) -> Expression:
    """The expression without what the analyzer has put around it."""
    while True:
        if isinstance(e, OuterReference):
            e = e.reference
        elif e.children and _is_added_around(e):
            e = e.children[0]
        elif (of := rebuilt(e)) is not None:
            e = of
        else:
            return e


def _is_added_around(e: Expression) -> bool:
    match e:
        case Alias():
            return True
        case Cast():
            return not e.is_written
        case Invoke():
            return e.name in METHODS
        case ReplacedExpression():
            return not e.parameters and not e.name
    return e.simple_name in CONVERSIONS


def bracketed(parts: Iterable[Part]) -> list[Part]:
    """In parentheses."""
    return ["(", *parts, ")"]


def quoted(name: str) -> str:
    """The name of a column or a field as SQL has it: in backquotes where it is no plain word."""
    return name if _PLAIN_NAME.fullmatch(name) else f"`{name.replace('`', '``')}`"


def joined(operands: Iterable[Part], separator: str = ", ") -> list[Part]:
    """Operands with a separator between them."""
    parts: list[Part] = []
    for operand in operands:
        parts += [separator, operand] if parts else [operand]
    return parts


def call(name: str, arguments: Iterable[Part]) -> Form:
    """A function's call."""
    return ATOM, [name, "(", *joined(arguments), ")"]


def name_of(e: Expression) -> str:
    """What SQL calls a function: Spark's name for it, else what follows from its class."""
    name = getattr(e, "name", "") or function_name(e.simple_name)
    return str(name).lower()


def arguments_of(name: str, e: Expression) -> list[Part]:
    """The arguments that were written; formats as such."""
    operands = e.parameters if isinstance(e, ReplacedExpression) and e.parameters else e.children
    formats: tuple[str | None, ...] = getattr(e, "formats", ())
    arguments: list[Part] = [
        formats[i] or operand if i < len(formats) else operand for i, operand in enumerate(operands)
    ]
    defaults = DEFAULTS.get(name, {})
    while len(arguments) - 1 in defaults and defaults[len(arguments) - 1] == _constant(arguments[-1]):
        arguments.pop()
    return arguments


def _constant(part: Part) -> str | None:
    if isinstance(part, str):
        return part
    e = written(part if isinstance(part, Expression) else part.expression)
    return ("NULL" if e.is_null else e.text) if isinstance(e, Literal) else ""
