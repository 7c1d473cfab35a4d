"""Describe the joins, filters, groupings and sorts that decided the rows of a process in one sentence.

As inputs of a separate process these columns would clutter the lineage graph of tables, and as inputs of all column lineage
they would hide the sources of values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sac_kafka.atlas.limits import fitting, truncate
from sac_kafka.model import Dependency, Process, RowClause
from sac_kafka.model.gaps import may_hide_conditions

_WORDS: Mapping[Dependency, str] = MappingProxyType(
    {
        Dependency.JOIN: "joined by",
        Dependency.FILTER: "filtered by",
        Dependency.GROUP_BY: "grouped by",
        Dependency.SORT: "sorted by",
    }
)
_OWN_WORDS = frozenset({"DISTINCT", "INTERSECT", "EXCEPT"})
_SEPARATOR = "; "
_CLAUSE_LIMIT = 500
_SENTENCE_LIMIT = 1_800
_DECIDERS_LIMIT = 400

NO_CLAUSES = "Rows are not joined, filtered, grouped or sorted."
"""Sentence for a flow without conditions on rows."""


NOT_KNOWN = "What decides the rows is not known."
"""Sentence for a flow whose row conditions were not analyzed, such as a query run by a database."""
_MORE = "what else decides them is not known"


def sentence(described: Process, decided_by: Sequence[str] = ()) -> str:
    """Return the clauses as one sentence for people; there always is one, so that it replaces that of an earlier run.

    "Rows joined by customer = name; filtered by amount > 100; grouped by country." It claims nothing that a gap may hide.
    `decided_by` are the names of the datasets that values of the statement were read from.
    """
    if described.columns_omitted:
        not_followed = f"Columns were not followed: {described.columns_omitted}."
        return f"{not_followed} {of_values(decided_by)}" if decided_by else not_followed
    shown, omitted = fitting(map(_clause, described.clauses), _SENTENCE_LIMIT)
    is_partial = bool(described.gaps) and may_hide_conditions(described.gaps)
    if not shown and not decided_by:
        return NOT_KNOWN if is_partial else NO_CLAUSES
    more = (
        f"{omitted} more" if omitted else "",
        _values(decided_by) if decided_by else "",
        _MORE if is_partial else "",
    )
    return f"Rows {_SEPARATOR.join([*shown, *filter(None, more)])}."


def of_values(decided_by: Sequence[str]) -> str:
    """Return the sentence for a flow whose other row conditions are unknown.

    >>> of_values(["sales.control"])
    'Rows decided by values that were read from sales.control.'
    """
    return f"Rows {_values(decided_by)}."


def _values(decided_by: Sequence[str]) -> str:
    shown, omitted = fitting(decided_by, _DECIDERS_LIMIT)
    more = [f"{omitted} more"] if omitted else []
    return f"decided by values that were read from {', '.join([*shown, *more])}"


def _clause(clause: RowClause) -> str:
    text = truncate(clause.text, _CLAUSE_LIMIT)
    word = text.partition(" ")[0]
    return text if word in _OWN_WORDS else f"{_WORDS[clause.dependency]} {text}"
