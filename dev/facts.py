"""Write the tables of facts in docs/atlas.md, which are generated from sac_kafka/model/facts.py: `python -m dev.facts`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sac_kafka.model.facts import APPLICATION_FACTS, FACTS, Fact

PAGE = Path(__file__).resolve().parents[1] / "docs" / "atlas.md"
_HEAD = "| key | is |\n|---|---|\n"


def page(text: str) -> str:
    """Return the page with its tables, first that of processes, then that of applications."""
    first, *parts = text.split(_HEAD)
    facts: tuple[tuple[Fact[Any], ...], ...] = (FACTS, APPLICATION_FACTS)
    return first + "".join(
        _HEAD + "".join(rows(table)) + "\n" + part.partition("\n\n")[2]
        for table, part in zip(facts, parts, strict=True)
    )


def rows(facts: Iterable[Fact[Any]]) -> Iterator[str]:
    """Yield a line of the table for each fact with a documentation, and those after it that have none."""
    names: list[str] = []
    doc = ""
    for fact in facts:
        if fact.doc and names:
            yield f"| {', '.join(names)} | {doc} |\n"
            names = []
        doc = fact.doc or doc
        names += [f"`{each}`" for each in (fact.all_names if fact.doc else (fact.name,))]
    yield f"| {', '.join(names)} | {doc} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
