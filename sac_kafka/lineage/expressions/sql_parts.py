"""Parts of which the SQL form of an expression consists: text, and operands with their minimum precedence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sac_kafka.lineage.expressions.conversions import rebuilt
from sac_kafka.lineage.expressions.function_names import ANY, ATOM, CONVERSIONS, DEFAULTS, METHODS, function_name
from sac_kafka.plan.expressions import Alias, Cast, Expression, Literal, OuterReference
from sac_kafka.plan.functions import Invoke, ReplacedExpression

PIVOT_VALUE = "\x00"
"""Placeholder for the value of a PIVOT until an enclosing expression selects one."""

MARK = "\x01"
"""Mark before the name of a source column, to be replaced by the name of its relation if the column is ambiguous."""


class Operand(NamedTuple):
    """An operand, and the minimum precedence (`need`) that it must have to be written without parentheses."""

    expression: Expression
    need: int = ANY


class Field(NamedTuple):
    """The value of a struct field. Its name ("" if it has none) is written if it differs from that of the value."""

    expression: Expression
    name: str


Part = str | Expression | Operand | Field
Form = tuple[int, Sequence[Part]]
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def written(e: Expression) -> Expression:
    """Return the expression as written, without what the analyzer has added around it."""
    while True:
        if isinstance(e, OuterReference):
            e = e.reference
        elif e.children and _is_added_around(e):
            e = e.children[0]
        elif (original := rebuilt(e)) is not None:
            e = original
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


def bracket(parts: Iterable[Part]) -> list[Part]:
    """Return the parts in parentheses."""
    return ["(", *parts, ")"]


def quote(name: str) -> str:
    """Quote the name of a column or a field with backquotes unless it is a plain identifier."""
    return name if _PLAIN_NAME.fullmatch(name) else f"`{name.replace('`', '``')}`"


def join(operands: Iterable[Part], separator: str = ", ") -> list[Part]:
    """Return operands with a separator between them."""
    parts: list[Part] = []
    for operand in operands:
        parts += [separator, operand] if parts else [operand]
    return parts


def call(name: str, arguments: Iterable[Part]) -> Form:
    """Return the form of a function call."""
    return ATOM, [name, "(", *join(arguments), ")"]


def name_of(e: Expression) -> str:
    """Return the SQL name of a function: Spark's name, else one derived from its class."""
    name = getattr(e, "name", "") or function_name(e.simple_name)
    return str(name).lower()


def arguments_of(name: str, e: Expression) -> list[Part]:
    """Return the arguments as written: without default arguments, and with literal formats."""
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
