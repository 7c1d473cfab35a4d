"""Write `schemas/`. `python -m sac_kafka.atlas.schemas [FOLDER]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from sac_kafka.atlas.schemas.entities import FORMS, one_of_all
from sac_kafka.atlas.schemas.notifications import NOTIFICATIONS, envelope, file_name
from sac_kafka.atlas.schemas.values import reference, v1_id, values
from sac_kafka.atlas.types.sent import SENT

# The schema that asks those of a folder is named by one of them.
_ONE = {"entities": "entity", "updates": "update", "referenceables": "referenceable"}


def files() -> dict[str, dict[str, Any]]:
    """Path below `schemas/` → content."""
    result = {
        "envelope.schema.json": envelope(),
        "values.schema.json": values(),
        "reference.schema.json": reference(),
        "id.schema.json": v1_id(),
        **{file_name(name): schema for name, schema in NOTIFICATIONS.items()},
    }
    for folder, (title, description, make) in FORMS.items():
        result[f"{_ONE.get(folder, folder.removesuffix('s'))}.schema.json"] = one_of_all(title, description, folder)
        result.update({f"{folder}/{name}.schema.json": make(name) for name in SENT})
    return result


def text(content: dict[str, Any]) -> str:
    """A file's text."""
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
