"""Read and write golden files: the lineage of a test as JSON, in the folder `lineage` next to the test file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, MutableMapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sac_kafka.errors import LineageTestError
from sac_kafka.tools.graph.flows import Flow

FOLDER = "lineage"
_NAME = re.compile(r"[^\\/\x00-\x1f]+")
_OPTIONAL = frozenset({"missing", "decided_by", "constants", "rows"})
_EXPRESSIONS = "expressions"
"""Key that a flow has if the file was written with expressions and row conditions."""
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

    def read(self, file: Path) -> tuple[tuple[Flow, ...], bool] | None:
        """Return the flows of a golden file and whether they have expressions, None if it does not exist.

        Raises:
            LineageTestError: The file is invalid or unreadable.
        """
        try:
            listed = json.loads(file.read_text("utf-8"))["flows"]
            return sort_flows(map(_flow, listed)), any(_EXPRESSIONS in each for each in listed)
        except FileNotFoundError:
            return None
        except OSError as e:
            raise LineageTestError(f"{file} cannot be read: {e.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
            raise LineageTestError(
                f"{file} is not a valid golden file ({type(e).__name__}): delete it and run pytest --lineage-update"
            ) from None

    def write(self, file: Path, flows: Iterable[Flow], *, expressions: bool) -> None:
        """Write a golden file if its content changes, with or without expressions.

        Raises:
            LineageTestError: The file cannot be written, or another test of this run has written other lineage into it.
        """
        objects = [_flow_object(sort_flow, expressions=expressions) for sort_flow in sort_flows(flows)]
        text = json.dumps({"flows": objects}, indent=2, ensure_ascii=False) + "\n"
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


def sort_flows(flows: Iterable[Flow]) -> tuple[Flow, ...]:
    """Return each flow once, in an order that does not depend on the time of execution."""
    by_text = {json.dumps(asdict(flow), sort_keys=True): flow for flow in flows}
    return tuple(sorted(by_text.values(), key=lambda each: (each.outputs, each.inputs, json.dumps(asdict(each)))))


def without_expressions(flow: Flow) -> Flow:
    """Return a flow without expressions and row conditions."""
    return replace(flow, expressions={}, constants={}, rows="")


def _flow_object(flow: Flow, *, expressions: bool) -> dict[str, Any]:
    """Return a flow as JSON object; empty optional keys are omitted."""
    omitted = _OPTIONAL if expressions else _OPTIONAL | {_EXPRESSIONS}
    return {key: value for key, value in asdict(flow).items() if value or key not in omitted}


def _flow(found: dict[str, Any]) -> Flow:
    rows = found.get("rows", "")
    if not isinstance(rows, str):
        raise TypeError(rows)
    return Flow(
        _names(found["inputs"]),
        _names(found["outputs"]),
        _columns(found["columns"]),
        _columns(found["influences"]),
        tuple(_check_list(found.get("missing", []))),
        _names(found.get("decided_by", [])),
        _columns(found.get(_EXPRESSIONS, {})),
        _columns(found.get("constants", {})),
        rows,
    )


def _columns(found: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {column: _names(sources) for column, sources in sorted(found.items())}


def _names(found: list[str]) -> tuple[str, ...]:
    """Return names in the order of flows, because people edit these files."""
    return tuple(sorted(_check_list(found)))


def _check_list(found: list[str]) -> list[str]:
    if not isinstance(found, list):
        raise TypeError(found)
    return found
