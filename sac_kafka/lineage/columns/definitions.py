"""Render the defining expressions of columns lazily."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sac_kafka.lineage.expressions.rendering import Text


class Definition:
    """The defining expression of a column, rendered once, after the definitions of the columns that it uses.

    `is_shared` is True if it defines other columns too. Chains of definitions may be long and are walked with a stack.
    """

    __slots__ = ("_made", "_make", "_needs", "is_shared")

    def __init__(
        self,
        make: Callable[[], str],
        needs: Callable[[], Iterable[Definition]] = tuple,
        *,
        is_shared: bool = False,
    ) -> None:
        self._make: Callable[[], str] | None = make
        self._needs = needs
        self._made: Text | None = None
        self.is_shared = is_shared

    def __call__(self) -> Text:
        """Return the text for people, without marks."""
        return self.mark_columns().with_label("")

    def mark_columns(self) -> Text:
        """Return the text with a mark before the name of each source column."""
        stack, waited_for = [self], {self}
        while stack:
            missing = [d for d in stack[-1]._needs() if d._made is None and d not in waited_for]
            stack += missing
            waited_for.update(missing)
            if not missing:
                stack.pop()._render()
        assert self._made is not None
        return self._made

    def _render(self) -> None:
        if self._made is None and self._make is not None:
            made = self._make()
            self._made = made if isinstance(made, Text) else Text(made)
            self._make, self._needs = None, tuple  # free the plan below
