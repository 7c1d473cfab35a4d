"""Read and write golden files: the lineage of a test as JSON, in the folder `lineage` next to the test file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, MutableMapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sac_kafka.errors import LineageTestError
from sac_kafka.tools.graph.flows import Flow

FOLDER = "lineage"
_NAME = re.compile(r"[^\\/\x00-\x1f]+")
_OPTIONAL = frozenset({"missing", "decided_by"})
_MAX_NAME_BYTES = 200
"""Maximum length of a name in bytes: file systems allow 255 including the extension."""


class GoldenFiles:
    """Golden files of one test file.

    Args:
        folder: The folder of the test file.
        is_updating: Whether to write the files instead of comparing.
        written: Called with each file that was written.
        texts: The contents required by earlier tests of this run, to detect two tests with the same file name.
    """

    def __init__(
        self,
        folder: Path,
        *,
        is_updating: bool,
        written: Callable[[Path], None],
        texts: MutableMapping[Path, str] | None = None,
    ) -> None:
        self._folder = folder
        self._written = written
        self._texts = {} if texts is None else texts
        self.is_updating = is_updating

    def file(self, name: str) -> Path:
        """Return the path of the golden file with this name.

        Raises:
            LineageTestError: The name cannot be that of a file.
        """
        if not _NAME.fullmatch(name) or name.startswith(".") or len(name.encode("utf-8", "replace")) > _MAX_NAME_BYTES:
            raise LineageTestError(
                f"assert_golden({name[:_MAX_NAME_BYTES]!r}): must be the name of a file, without folders, of at most "
                f"{_MAX_NAME_BYTES} bytes"
            )
        return self._folder / FOLDER / f"{name}.json"

    def read(self, file: Path) -> tuple[Flow, ...] | None:
        """Return the flows of a golden file, None if it does not exist.

        Raises:
            LineageTestError: The file is invalid or unreadable.
        """
        try:
            listed = json.loads(file.read_text("utf-8"))["flows"]
            return ordered(
                Flow(
                    _names(each["inputs"]),
                    _names(each["outputs"]),
                    _columns(each["columns"]),
                    _columns(each["influences"]),
                    tuple(_listed(each.get("missing", []))),
                    _names(each.get("decided_by", [])),
                )
                for each in listed
            )
        except FileNotFoundError:
            return None
        except OSError as e:
            raise LineageTestError(f"{file} cannot be read: {e.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
            raise LineageTestError(
                f"{file} is not a valid golden file ({type(e).__name__}): delete it and run pytest --lineage-update"
            ) from None

    def write(self, file: Path, flows: Iterable[Flow]) -> None:
        """Write a golden file if its content changes.

        Raises:
            LineageTestError: The file cannot be written, or another test of this run has written other lineage into it.
        """
        text = (
            json.dumps({"flows": [_flow_object(each) for each in ordered(flows)]}, indent=2, ensure_ascii=False) + "\n"
        )
        if self._texts.setdefault(file, text) != text:
            raise LineageTestError(
                f"{file} was already written in this run with different lineage: use a different name for each assert_golden"
            )
        try:
            if file.is_file() and file.read_bytes() == text.encode():
                return
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
        except OSError as e:
            raise LineageTestError(f"{file} cannot be written: {e.strerror}") from None
        self._written(file)


def ordered(flows: Iterable[Flow]) -> tuple[Flow, ...]:
    """Return each flow once, in an order that does not depend on the time of execution."""
    by_text = {json.dumps(asdict(each), sort_keys=True): each for each in flows}
    return tuple(sorted(by_text.values(), key=lambda each: (each.outputs, each.inputs, json.dumps(asdict(each)))))


def _flow_object(flow: Flow) -> dict[str, Any]:
    """Return a flow as JSON object; empty optional keys are omitted."""
    return {key: value for key, value in asdict(flow).items() if value or key not in _OPTIONAL}


def _columns(found: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {column: _names(sources) for column, sources in sorted(found.items())}


def _names(found: list[str]) -> tuple[str, ...]:
    """Return names in the order of flows, because people edit these files."""
    return tuple(sorted(_listed(found)))


def _listed(found: list[str]) -> list[str]:
    if not isinstance(found, list):
        raise TypeError(found)
    return found
