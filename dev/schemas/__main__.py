"""Write `schemas/`. `python -m dev.schemas [FOLDER]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from dev.schemas.commands import commands
from dev.schemas.entities import FORMS, one_of_all
from dev.schemas.facets import facet
from dev.schemas.notifications import envelope
from dev.schemas.values import values
from sac_kafka.openlineage.own_facets import ALL


def files() -> dict[str, dict[str, Any]]:
    """Path below `schemas/` → content."""
    return {
        "envelope.schema.json": envelope(),
        "values.schema.json": values(),
        "commands.schema.json": commands(),
        **{f"{name}.schema.json": one_of_all(*form) for name, form in FORMS.items()},
        **{f"{name}.schema.json": facet(name) for name in sorted(ALL)},
    }


def text(content: dict[str, Any]) -> str:
    """Return a file's text."""
    return json.dumps(content, indent=2, ensure_ascii=True) + "\n"


def write(root: Path) -> None:
    """Write all files, and remove those that are no more."""
    wanted = {root / name: text(content) for name, content in files().items()}
    for stale in set(root.rglob("*.json")) - set(wanted):
        stale.unlink()
    for path, content in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "schemas"))
