"""The part of docs/matrix.md about sources, out of the results of `make test-sources`.

    python -m tests.live.sources.matrix build/results  # rewrites that part
    python -m tests.live.sources.matrix --check build/results

A folder holds one JUnit file a family and Spark, `<version>-source-<family>.xml`. A cell counts the cases that came out as
expected, by operation.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from tests.cases.expected import expected
from tests.live.sources.families import FAMILIES
from tests.live.sources.operations import OPERATIONS, has_columns, operations

GROUP = "Formats, databases and connectors"
HEAD = f"""## {GROUP}

How many jobs (`tests/live/sources`, `make test-sources`) ran on that Spark with the real jars and server,
and had the expected tables and columns; *tables*: columns are not followed. *databases* is H2 within the driver.
[Sources](sources.md) states how connectors without a server were checked."""
PAGES = Path(__file__).resolve().parents[3] / "docs"

_FILE = re.compile(r"(?P<version>[\d.]*\d)-source-(?P<family>\w+)\.xml")
_CASE = re.compile(r"test_a_case_has_its_lineage\[(.+)\]")

Results = dict[str, dict[str, dict[str, bool]]]
"""Family → Spark version → case → whether it came out as expected."""


def results(folder: Path) -> Results:
    """Return the results of the JUnit files of a folder."""
    found: Results = {}
    for file in sorted(folder.glob("*-source-*.xml")):
        m = _FILE.fullmatch(file.name)
        if m is not None:
            found.setdefault(m["family"], {})[m["version"]] = dict(_cases(file))
    return found


def _cases(file: Path) -> Iterator[tuple[str, bool]]:
    for element in ElementTree.parse(file).iter("testcase"):
        m = _CASE.fullmatch(element.get("name", ""))
        if m is not None:
            yield m[1], not {child.tag for child in element} & {"failure", "error", "skipped"}


def cells(found: Results) -> dict[tuple[str, str, str], str]:
    """Cells by family, operation and Spark version."""
    made = {}
    for family, versions in found.items():
        for version, cases in versions.items():
            for operation in OPERATIONS:
                if cell := _cell(family, operation, cases):
                    made[family, operation, version] = cell
    return made


def _cell(family: str, operation: str, cases: Mapping[str, bool]) -> str:
    of = {name: expected(f"{family}_{name}") for name in cases}
    shown = [name for name in cases if operation in operations(name, of[name])]
    if not shown:
        return ""
    wrong = [name for name in shown if not cases[name]]
    if wrong:
        return f"{len(wrong)} of {len(shown)} not"
    return f"{len(shown)}" + ("" if any(has_columns(of[name]) for name in shown) else ", tables")


def section(found: Results, versions: Iterable[str]) -> str:
    """Return the section of the page."""
    columns = list(versions)
    rows = [f"| source | operation | {' | '.join(columns)} |", f"|---|---|{'---|' * len(columns)}"]
    made = cells(found)
    for family in FAMILIES:
        for operation in OPERATIONS:
            row = [made.get((family, operation, version), "") for version in columns]
            if any(row):
                rows.append(f"| {family} | {operation} | {' | '.join(row)} |")
    return "\n".join([HEAD, "", *rows])


def differences(text: str, found: Results) -> list[str]:
    """Return where a page differs from results, of the families and Sparks whose cases ran; a cell counts all of them.

    Where a part of a family's cases ran, only those that failed are reported.
    """
    shown: dict[tuple[str, str, str], str] = {}
    versions: list[str] = []
    for line in text.partition(f"## {GROUP}")[2].splitlines():
        parts = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| source |"):
            versions = parts[2:]
        elif line.startswith("| "):
            shown.update(((parts[0], parts[1], v), cell) for v, cell in zip(versions, parts[2:], strict=True))
    failed = [
        f"{family} / {case} / {version}: failed"
        for family, of in found.items()
        for version, cases in of.items()
        if not _is_whole(family, version, cases)
        for case, is_passed in cases.items()
        if not is_passed
    ]
    found = {
        family: whole
        for family, of in found.items()
        if (whole := {version: cases for version, cases in of.items() if _is_whole(family, version, cases)})
    }
    known = cells(found)
    ran = {(family, version) for family, of in found.items() for version in of}
    keys = {key for key, cell in shown.items() if cell and (key[0], key[2]) in ran} | set(known)
    return failed + [
        f"{' / '.join(key)}: the page has {shown.get(key) or 'nothing'!r}, the results {known.get(key, 'nothing')!r}"
        for key in sorted(keys)
        if (shown.get(key) or "") != known.get(key, "")
    ]


def _is_whole(family: str, version: str, cases: Mapping[str, bool]) -> bool:
    """Return whether all cases that a family has on a Spark are among those that ran."""
    return {*FAMILIES[family].names(version)} <= {*cases}


def renewed(page: str, found: Results) -> str:
    """Return the page with a new part about sources, behind all others."""
    versions = sorted({v for of in found.values() for v in of}, key=lambda v: tuple(map(int, v.split("."))))
    return f"{page.partition(f'## {GROUP}')[0].rstrip()}\n\n{section(found, versions)}\n"


def main(arguments: Sequence[str]) -> int:
    """Write the part, or check it; the answer is the exit code."""
    found = results(Path(arguments[-1]))
    page = PAGES / "matrix.md"
    if arguments[0] != "--check":
        page.write_text(renewed(page.read_text("utf-8"), found), "utf-8")
        return 0
    wrong = differences(page.read_text("utf-8"), found)
    print("\n".join(wrong) or f"{page.name} equals the results for {', '.join(found) or 'no source'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
