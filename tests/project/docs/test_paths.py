"""Files and folders of the repository that pages name exist (CONTRIBUTING.md, Writing)."""

from __future__ import annotations

import re
from pathlib import Path

from tests.helpers.every_row import every_row
from tests.project.docs.blocks import PAGES, ROOT

_CODE = re.compile(r"`([^`\n]+)`")
_FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"[\w./-]+\.(?:py|java|groovy|pth|csv)")
FOLDERS = tuple(
    f"{name}/" for name in ("benchmarks", "dev", "docs", "examples", "sac_kafka", "schemas", "stack", "tests")
)
EXAMPLES = frozenset({"__main__.py", "acme_lineage.py", "job.py", "report.py", "test_report.py", "sac_kafka_runner.py"})
"""Files of readers, and one that Spark makes."""
NEW = frozenset(
    {
        *("sac_kafka/transport/sinks/example.py", "tests/unit/transport/test_example.py"),
        *("sac_kafka/tools/cli/example.py", "tests/unit/tools/cli/test_example_command.py"),
        *("sac_kafka/hook/example_source.py", "tests/unit/hook/test_example_source.py"),
        *("sac_kafka/stages/example_output.py", "tests/unit/stages/test_example_output.py"),
    }
)
"""What a recipe of CONTRIBUTING.md creates."""


def _named(text: str) -> set[str]:
    """Return the paths that sentences and tables name; a name with a placeholder is not one."""
    codes = {code.partition("::")[0] for code in _CODE.findall(_FENCED.sub("", text))}
    paths = {
        code
        for code in codes
        if _FILE.fullmatch(code) or (code.startswith(FOLDERS) and re.fullmatch(r"[\w./-]+", code))
    }
    return {path for path in paths if not path.startswith("/")} - EXAMPLES - NEW


def _is_there(name: str, files: frozenset[str]) -> bool:
    return name.rstrip("/") in files or any(file.endswith(f"/{name.rstrip('/')}") for file in files)


def _files() -> frozenset[str]:
    roots = [ROOT / each for each in FOLDERS]
    found = {path for root in roots for path in (root, *root.rglob("*")) if "__pycache__" not in path.parts}
    return frozenset(path.relative_to(ROOT).as_posix() for path in {*found, *ROOT.glob("*.*")})


FILES = _files()


@every_row("page", PAGES, label=lambda page: str(page.relative_to(ROOT)))
def test_paths_of_a_page_exist(page: Path) -> None:
    assert sorted(name for name in _named(page.read_text("utf-8")) if not _is_there(name, FILES)) == []


def test_a_path_that_does_not_exist_is_found() -> None:
    named = _named("`tests/no_such.py::test_a`, `hook.py`, `lost.py`, `tests/unit/`, `docs/<page>.md`, `/data/a.csv`")
    assert sorted(name for name in named if not _is_there(name, FILES)) == ["lost.py", "tests/no_such.py"]
