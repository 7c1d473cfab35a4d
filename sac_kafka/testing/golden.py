"""Golden files: the lineage of a test as JSON, in the folder `lineage` beside the file of the test."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from sac_kafka.errors import LineageTestError
from sac_kafka.readable.flows import Flow

FOLDER = "lineage"
_NAME = re.compile(r"[^\\/\x00-\x1f]{1,200}")


class GoldenFiles:
    """The golden files beside one file of tests.

    Args:
        folder: Where that is.
        is_updating: Whether files are to be written.
        written: Is told of each file that was.
    """

    def __init__(self, folder: Path, *, is_updating: bool, written: Callable[[Path], None]) -> None:
        self._folder = folder
        self._written = written
        self.is_updating = is_updating

    def file(self, name: str) -> Path:
        """Give where the golden file of that name is.

        Raises:
            LineageTestError: The name cannot be that of a file.
        """
        if not _NAME.fullmatch(name) or name.startswith("."):
            raise LineageTestError(f"assert_golden({name!r}): the name of a file without folders is needed")
        return self._folder / FOLDER / f"{name}.json"

    def read(self, file: Path) -> tuple[Flow, ...] | None:
        """Give what it says, None where it is not there.

        Raises:
            LineageTestError: It is no golden file.
        """
        try:
            listed = json.loads(file.read_text("utf-8"))["flows"]
            return ordered(
                Flow(
                    tuple(each["inputs"]),
                    tuple(each["outputs"]),
                    _columns(each["columns"]),
                    _columns(each["influences"]),
                )
                for each in listed
            )
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
            raise LineageTestError(
                f"{file} is no golden file ({type(e).__name__}): delete it, and run pytest --lineage-update"
            ) from None

    def write(self, file: Path, flows: Iterable[Flow]) -> None:
        """Write it, if that changes it."""
        text = json.dumps({"flows": [asdict(each) for each in ordered(flows)]}, indent=2, ensure_ascii=False) + "\n"
        if not file.is_file() or file.read_text("utf-8") != text:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
            self._written(file)


def ordered(flows: Iterable[Flow]) -> tuple[Flow, ...]:
    """Give each flow once, in an order that does not depend on when it ran."""
    by_text = {json.dumps(asdict(each), sort_keys=True): each for each in flows}
    return tuple(sorted(by_text.values(), key=lambda each: (each.outputs, each.inputs, json.dumps(asdict(each)))))


def _columns(told: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {column: tuple(sources) for column, sources in sorted(told.items())}
