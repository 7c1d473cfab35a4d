"""An expression as the SQL that a person would have written, no more than a bounded length of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from sac_kafka.lineage.expressions.function_names import ANY, ATOM
from sac_kafka.lineage.expressions.sql_forms import form, pivot
from sac_kafka.lineage.expressions.sql_parts import PIVOT_VALUE, Field, Form, Part, Use, bracketed, quoted, written
from sac_kafka.plan.expressions import (
    AttributeReference,
    CommonExpressionDef,
    CommonExpressionRef,
    Expression,
    GetStructField,
    Literal,
    ReplacedExpression,
    With,
)

LONGEST = 1000
"""Characters; what is longer ends with an ellipsis."""

GROUPING_ID = "grouping_id()"
"""The number of the grouping set; its `choices` are the columns that are grouped by, the last one first."""

_SUFFIX = re.compile(r"(?<=\d)[LSY]$")
"""Of the type of a number: of a PIVOT's value nobody writes it."""


class Text(str):
    """The text of an expression. `binding` is that of its outermost operator, `choices` are the values of a PIVOT."""

    binding: int = ATOM
    choices: tuple[str | None, ...] = ()

    @classmethod
    def of(cls, text: str, binding: int, choices: tuple[str | None, ...] = ()) -> Text:
        """A text with what a larger expression must know of it."""
        made = cls(text)
        made.binding, made.choices = binding, choices
        return made


Name = Callable[[int], str | None]
"""By exprId: the name of a column, the `Text` of what it is made of, or None where it is not known."""


def render(expression: Expression, name: Name) -> Text:
    """The text of an expression over the columns below.

    Walks with a stack of parts, so that its depth does not matter, and stops at the longest text.
    """
    text: list[str] = []
    length = 0
    binding: int | None = None
    common: dict[int, Expression] = {}
    stack: list[Part] = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            text.append(part)
            length += len(part)
            if length > LONGEST:
                return Text.of("".join(text)[: LONGEST - 1] + "…", ATOM)
            continue
        if isinstance(part, Field):
            stack += [] if _is_named(part, name) else [f" AS {quoted(part.name)}"]
            part = part.expression
        e, need = part if isinstance(part, Use) else Use(part, ANY)
        while isinstance(e, With):
            common.update({d.id: d.children[0] for d in e.children if isinstance(d, CommonExpressionDef)})
            e = written(e.children[0])
        e = written(e)
        if isinstance(e, CommonExpressionRef):
            stack.append(Use(common[e.id], need) if e.id in common else "?")
            continue
        strength, parts = _column(e, name) or form(_known(e, name))
        binding = strength if binding is None else binding
        stack.extend(reversed(bracketed(parts) if strength < need else parts))
    of = pivot(expression)
    return Text.of("".join(text), ANY if binding is None else binding, of.values if of is not None else ())


def _is_named(field: Field, name: Name) -> bool:
    """True where the field of a struct has the name of what it is made of, or none."""
    e = written(field.expression)
    own = name(e.expr_id) if isinstance(e, AttributeReference) else e.name if isinstance(e, GetStructField) else None
    return field.name in ("", own)


def _column(e: Expression, name: Name) -> Form | None:
    """A column by its name, or by what it is made of; a position in what PIVOT makes by the value that it stands for."""
    if isinstance(e, AttributeReference):
        found = name(e.expr_id)
        if isinstance(found, Text):
            return found.binding, [found.replace(PIVOT_VALUE, "?")]
        return ATOM, ["?" if found is None else quoted(found)]
    if e.simple_name == "BitwiseAnd":
        return _grouping(written(e.children[0]), name)
    if e.simple_name == "GetArrayItem" and isinstance(e.children[0], AttributeReference):
        found = name(e.children[0].expr_id)
        if isinstance(found, Text) and PIVOT_VALUE in found:
            return found.binding, [found.replace(PIVOT_VALUE, _SUFFIX.sub("", _chosen(found.choices, e.children[1])))]
    return None


def _grouping(shift: Expression, name: Name) -> Form | None:
    """`grouping(column)` is a bit of the number of the grouping set."""
    if shift.simple_name != "ShiftRight" or not isinstance(shift.children[0], AttributeReference):
        return None
    found = name(shift.children[0].expr_id)
    if not isinstance(found, Text) or found != GROUPING_ID:
        return None
    return ATOM, [f"grouping({_chosen(found.choices, shift.children[1])})"]


def _chosen(choices: tuple[str | None, ...], ordinal: Expression) -> str:
    at = ordinal.text if isinstance(ordinal, Literal) else None
    value = choices[int(at)] if at is not None and at.isdecimal() and int(at) < len(choices) else None
    return value or "?"


def _known(e: Expression, name: Name) -> Expression:
    """What was written is shown only where its columns are known: the analyzer may have given them other ids since."""
    if isinstance(e, ReplacedExpression) and e.parameters:
        stack = list(e.parameters)
        for _ in range(LONGEST):  # a longer expression is not shown as a whole
            if not stack:
                return e
            part = stack.pop()
            if isinstance(part, AttributeReference) and name(part.expr_id) is None:
                return ReplacedExpression(class_name=e.class_name, children=e.children, name=e.name)
            stack.extend(part.children)
    return e


def references(expressions: Iterable[Expression], names: Mapping[int, str]) -> Iterator[str]:
    """The names of the columns that expressions use, in order."""
    seen: set[int] = set()
    stack = list(expressions)[::-1]
    while stack:
        e = stack.pop()
        if isinstance(e, AttributeReference):
            if e.expr_id in names:
                yield names[e.expr_id]
        elif id(e) not in seen:
            seen.add(id(e))
            stack.extend(reversed(e.children))
