"""The page of the API, written out of docstrings: what users may import, in the order in which they meet it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

API_PAGE = "reference.md"
_HEAD = """# API reference

Out of the docstrings, for who writes code. What these are for, with examples: [the API](api.md), [plug-ins](plugins.md).

"""
_FIRST = (
    ("Attach, flush, detach", "sac_kafka", ("attach", "flush", "detach")),
    ("Emit flows without Spark", "sac_kafka", ("emit", "register", "track")),
    ("The hook", "sac_kafka.hook.hook", ("Hook",)),
    ("Its answers", "sac_kafka.stats", ("Stats", "Completeness", "Messages", "SpoolStats", "Excluded", "Flushed")),
    ("What a flow is", "sac_kafka.tools.graph.flows", ("Flow",)),
)
"""Headings, a module, and what of it stands below."""
_WHOLE = (("For plug-ins", "sac_kafka.plugins"), ("For tests of lineage", "sac_kafka.testing"))
"""Headings, and modules whose exports are all shown below; a module that this version lacks is omitted."""


def api_page() -> str:
    """Give the page: mkdocstrings puts the docstrings in."""
    return _HEAD + "\n".join(
        f"## {title}\n\n" + "".join(f"::: {name}\n\n" for name in names) for title, names in _parts()
    )


def _parts() -> Iterator[tuple[str, list[str]]]:
    for title, module, names in _FIRST:
        yield title, [f"{module}.{name}" for name in names]
    for title, module in _WHOLE:
        try:
            exported = importlib.import_module(module).__all__
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            continue
        yield title, [f"{module}.{name}" for name in exported]
