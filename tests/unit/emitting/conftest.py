"""A configuration whose messages go to a file, and their processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.emitting.session import close_all
from tests.helpers.messages import entities, messages_in


class Sent:
    """The configuration of a test, and what was sent with it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "sent.jsonl"
        self.conf = {
            "client_type": "file",
            "client_file_path": str(self.file),
            "atlas.metadata.namespace": "dev",
            "atlas.hook.spool.dir": str(folder / "spool"),
        }

    def entities(self, type_name: str) -> list[dict[str, Any]]:
        return entities(messages_in(self.file), type_name)

    def flows(self) -> list[str]:
        """Return the short names of the sent processes, in order."""
        return [each["attributes"]["name"] for each in self.entities("spark_process")]


@pytest.fixture
def sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sent]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    yield Sent(tmp_path)
    close_all()
