"""An expression as the SQL that a person would have written, no more than a bounded length of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

# Imported for the forms that they register.
from sac_kafka.lineage.expressions import sql_functions, sql_structs, sql_windows  # noqa: F401 as above
from sac_kafka.lineage.expressions.function_names import ANY, ATOM
from sac_kafka.lineage.expressions.sql_forms import form, pivot
from sac_kafka.lineage.expressions.sql_parts import (
    MARK,
    PIVOT_VALUE,
    Field,
    Form,
    Part,
    Use,
    bracketed,
    quoted,
    written,
)
from sac_kafka.plan.expressions import (
    AttributeReference,
    CommonExpressionDef,
    CommonExpressionRef,
    Expression,
    GetStructField,
    Literal,
    With,
)
from sac_kafka.plan.functions import ReplacedExpression

LONGEST = 1000
"""Characters; what is longer ends with an ellipsis."""

GROUPING_ID = "grouping_id()"
"""The number of the grouping set; its `choices` are the columns that are grouped by, the last one first."""

_SUFFIX = re.compile(r"(?<=\d)[LSY]$")
"""Of the type of a number: of a PIVOT's value nobody writes it."""


class Text(str):
    """The text of an expression. `binding` is that of its outermost operator, `choices` are the values of a PIVOT.

    `name` is what a column is called that the text says what it is made of: it stays where the text would be too long; "" is
    no name.
    """

    binding: int = ATOM
    choices: tuple[str | None, ...] = ()
    name: str = ""

    @classmethod
    def of(cls, text: str, binding: int, choices: tuple[str | None, ...] = ()) -> Text:
        """A text with what a larger expression must know of it."""
        made = cls(text)
        made.binding, made.choices = binding, choices
        return made

    @property
    def is_cut(self) -> bool:
        """True for a text that would have been longer than an expression may be."""
        return len(self) >= LONGEST and self.endswith("…")

    def labelled(self, label: str) -> Text:
        """With the name of a relation before the names of its columns; "" is none."""
        return self._with(self.replace(MARK, f"{label}." if label else ""))

    def made_of(self, name: str) -> Text:
        """As what a column of that name is made of."""
        made = self._with(self)
        made.name = name
        return made

    def _with(self, text: str) -> Text:
        made = Text.of(text, self.binding, self.choices)
        made.name = self.name
        return made


FieldText = Callable[[Expression], Text | None]
"""The text of a field of a struct that the query made, None of any other."""

Name = Callable[[int], str | None]
"""By exprId: the name of a column, the `Text` of what it is made of, or None where it is not known."""


def _unknown(e: Expression) -> Text | None:
    del e
    return None


def render(expression: Expression, name: Name, field: FieldText = _unknown) -> Text:
    """The text of an expression over the columns below; those that would make it too long stand by their names.

    Walks with a stack of parts, so that its depth does not matter, and stops at the longest text.
    """

    def short(expr_id: int) -> str | None:
        found = name(expr_id)
        return found.name if isinstance(found, Text) and found.name else found

    made = _rendered(expression, name, field)
    return _rendered(expression, short, _unknown) if made.is_cut else made


def cut(text: str) -> str:
    """No longer than an expression may be."""
    bare = text.replace(MARK, "")
    return text if len(bare) <= LONGEST else bare[: LONGEST - 1] + "…"


def _rendered(expression: Expression, name: Name, field: FieldText) -> Text:
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
            if length > LONGEST:
                return Text.of(cut("".join(text)), ATOM)
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
        of_field = field(e) if isinstance(e, GetStructField) else None
        made: Form | None = (of_field.binding, [of_field]) if of_field is not None else _column(e, name)
        strength, parts = made or form(_known(e, name))
        binding = strength if binding is None else binding
        stack.extend(reversed(bracketed(parts) if strength < need else parts))
    of = pivot(expression)
    return Text.of("".join(text), ANY if binding is None else binding, of.values if of is not None else ())


def _is_named(field: Field, name: Name) -> bool:
    """True where the field of a struct has the name of what it is made of, or none."""
    e = written(field.expression)
    own = name(e.expr_id) if isinstance(e, AttributeReference) else e.name if isinstance(e, GetStructField) else None
    own = own.replace(MARK, "") if isinstance(own, Text) else own and quoted(own)
    return field.name == "" or quoted(field.name) == own


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
