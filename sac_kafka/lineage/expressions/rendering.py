"""Render an expression as the SQL that a person would write, up to a maximum length."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

# Imported because it registers forms.
from sac_kafka.lineage.expressions import sql_functions  # noqa: F401 as above
from sac_kafka.lineage.expressions.function_names import ANY, ATOM
from sac_kafka.lineage.expressions.sql_forms import form, pivot
from sac_kafka.lineage.expressions.sql_parts import (
    MARK,
    PIVOT_VALUE,
    Field,
    Form,
    Operand,
    Part,
    as_written,
    bracket,
    quote,
)
from sac_kafka.plan.expressions import (
    AttributeReference,
    CommonExpressionDef,
    CommonExpressionRef,
    Expression,
    GetStructField,
    Literal,
    With,
    walk_expressions,
)
from sac_kafka.plan.functions import ReplacedExpression

MAX_LENGTH = 1000
"""Maximum number of characters of a text; a longer text is truncated and ends with an ellipsis."""

GROUPING_ID = "grouping_id()"
"""The id of the grouping set; its `choices` are the grouping columns in reverse order."""

_SUFFIX = re.compile(r"(?<=\d)[LSY]$")
"""Type suffix of a numeric literal, which is omitted from the values of a PIVOT."""


class Text(str):
    """The text of an expression. `binding` is the precedence of its outermost operator, `choices` are the values of a PIVOT.

    `name` is the name of the column that the text defines ("" for none); it replaces the text in expressions that would be too
    long.
    """

    binding: int = ATOM
    choices: tuple[str | None, ...] = ()
    name: str = ""

    @classmethod
    def create(cls, text: str, binding: int, choices: tuple[str | None, ...] = ()) -> Text:
        """Create a text with the properties that an enclosing expression needs."""
        created = cls(text)
        created.binding, created.choices = binding, choices
        return created

    @property
    def is_truncated(self) -> bool:
        """True if the text was truncated to the maximum length."""
        return len(self) >= MAX_LENGTH and self.endswith("…")

    def with_label(self, label: str) -> Text:
        """Return the text with marks replaced by a relation's name before each column; "" only removes the marks."""
        return self._with(self.replace(MARK, f"{label}." if label else ""))

    def as_definition_of(self, name: str) -> Text:
        """Return the text as the definition of a column of that name."""
        definition = self._with(self)
        definition.name = name
        return definition

    def _with(self, text: str) -> Text:
        changed = Text.create(text, self.binding, self.choices)
        changed.name = self.name
        return changed


FieldText = Callable[[Expression], Text | None]
"""Return the text of a struct field defined by the query; None for any other expression."""

Name = Callable[[int], str | None]
"""Return, by exprId, the name of a column, or its definition as `Text`, or None if unknown."""


def _unknown(e: Expression) -> Text | None:
    del e
    return None


def render(expression: Expression, name: Name, field: FieldText = _unknown) -> Text:
    """Return the text of an expression, with definitions of columns inlined unless the text would be too long.

    Uses a stack of parts, so that nesting depth does not matter, and stops at the maximum length.
    """

    def short(expr_id: int) -> str | None:
        text = name(expr_id)
        return text.name if isinstance(text, Text) and text.name else text

    rendered = _render(expression, name, field)
    return _render(expression, short, _unknown) if rendered.is_truncated else rendered


def truncate(text: str) -> str:
    """Return a text truncated to the maximum length; marks do not count."""
    bare = text.replace(MARK, "")
    return text if len(bare) <= MAX_LENGTH else bare[: MAX_LENGTH - 1] + "…"


def _render(expression: Expression, name: Name, field: FieldText) -> Text:
    text: list[str] = []
    length = 0
    binding: int | None = None
    common: dict[int, Expression] = {}
    stack: list[Part] = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            text.append(part)
            length += len(part) - part.count(MARK)
            if length > MAX_LENGTH:
                return Text.create(truncate("".join(text)), ATOM)
            continue
        if isinstance(part, Field):
            stack += [] if _is_named(part, name) else [f" AS {quote(part.name)}"]
            part = part.expression
        e, need = part if isinstance(part, Operand) else Operand(part, ANY)
        while isinstance(e, With):
            common.update({d.id: d.children[0] for d in e.children if isinstance(d, CommonExpressionDef)})
            e = as_written(e.children[0])
        e = as_written(e)
        if isinstance(e, CommonExpressionRef):
            stack.append(Operand(common[e.id], need) if e.id in common else "?")
            continue
        of_field = field(e) if isinstance(e, GetStructField) else None
        known: Form | None = (of_field.binding, [of_field]) if of_field is not None else _column(e, name)
        strength, parts = known or form(_known(e, name))
        binding = strength if binding is None else binding
        stack.extend(reversed(bracket(parts) if strength < need else parts))
    pivot_parts = pivot(expression)
    return Text.create(
        "".join(text), ANY if binding is None else binding, pivot_parts.values if pivot_parts is not None else ()
    )


def _is_named(field: Field, name: Name) -> bool:
    """Return True if a struct field needs no alias: it has no name, or that of its value."""
    e = as_written(field.expression)
    own = name(e.expr_id) if isinstance(e, AttributeReference) else e.name if isinstance(e, GetStructField) else None
    own = own.replace(MARK, "") if isinstance(own, Text) else own and quote(own)
    return field.name == "" or quote(field.name) == own


def _column(e: Expression, name: Name) -> Form | None:
    """Return the form of a column: its name or definition; for an element of PIVOT's array, with the pivot value inserted."""
    if isinstance(e, AttributeReference):
        text = name(e.expr_id)
        if isinstance(text, Text):
            return text.binding, [text.replace(PIVOT_VALUE, "?")]
        return ATOM, ["?" if text is None else quote(text)]
    if e.simple_name == "BitwiseAnd":
        return _grouping(as_written(e.children[0]), name)
    if e.simple_name == "GetArrayItem" and isinstance(e.children[0], AttributeReference):
        text = name(e.children[0].expr_id)
        if isinstance(text, Text) and PIVOT_VALUE in text:
            return text.binding, [text.replace(PIVOT_VALUE, _SUFFIX.sub("", _chosen(text.choices, e.children[1])))]
    return None


def _grouping(shift: Expression, name: Name) -> Form | None:
    """Return the form of `grouping(column)`, which Spark computes as a bit of the grouping id; None if it is not."""
    if shift.simple_name != "ShiftRight" or not isinstance(shift.children[0], AttributeReference):
        return None
    text = name(shift.children[0].expr_id)
    if not isinstance(text, Text) or text != GROUPING_ID:
        return None
    return ATOM, [f"grouping({_chosen(text.choices, shift.children[1])})"]


def _chosen(choices: tuple[str | None, ...], ordinal: Expression) -> str:
    at = ordinal.text if isinstance(ordinal, Literal) else None
    value = choices[int(at)] if at is not None and at.isdecimal() and int(at) < len(choices) else None
    return value or "?"


def _known(e: Expression, name: Name) -> Expression:
    """Remove the original parameters of a function if their columns are unknown: the analyzer may have changed their ids."""
    if isinstance(e, ReplacedExpression) and e.parameters:
        parts = islice(walk_expressions(e.parameters), MAX_LENGTH)  # a longer expression is truncated anyway
        if any(isinstance(part, AttributeReference) and name(part.expr_id) is None for part in parts):
            return ReplacedExpression(class_name=e.class_name, children=e.children, name=e.name)
    return e


def references(expressions: Iterable[Expression], names: Mapping[int, str]) -> Iterator[str]:
    """Yield the names of the columns that expressions use, in order."""
    used = (e for e in walk_expressions(expressions) if isinstance(e, AttributeReference))
    return (names[e.expr_id] for e in used if e.expr_id in names)
