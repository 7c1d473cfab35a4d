"""All cases of all modules."""

from __future__ import annotations

from tests.live.purview import (  # noqa: F401 their import adds cases
    columns_cases,
    databases_cases,
    delta_cases,
    files_cases,
    platforms_cases,
    tables_cases,
)
from tests.live.purview.expecting import CASES

__all__ = ["CASES"]


def names(*has: str) -> list[str]:
    """Return the cases that need nothing but `has`: delta, kafka."""
    return [name for name, each in CASES.items() if each.needs <= set(has)]
