"""docs/purview/types.md has the evidence for every type that the hook names, as in the tested rows."""

from __future__ import annotations

import ast
import re

import pytest

from sac_kafka.purview.types import BUILT_IN, OWN, definitions
from tests.project.docs.blocks import ROOT
from tests.unit.purview.names.rows import rows
from tests.unit.purview.names.storage_rows import storage_rows

TABLE = (ROOT / "docs" / "purview" / "types.md").read_text("utf-8").partition("\n## Evidence\n")[2]
EVIDENCE = [
    (name, kind, source)
    for names, kind, source in re.findall(r"^\| (`.*?) \| (\w+) \| (.*) \|$", TABLE, re.MULTILINE)
    for name in re.findall(r"`(\w+)`", names)
]
PURVIEW = ROOT / "sac_kafka" / "purview"
NAMING = [
    *(file for folder in ("names", "flows") for file in (PURVIEW / folder).glob("*.py")),
    *(file for file in PURVIEW.glob("*.py") if not file.stem.startswith(("normalisation", "resource_set", "types"))),
]
NEVER_SENT = {"fs_path", "hdfs_path"}
"""Atlas' types of paths, which no scan creates: the code names them to exclude them."""


def test_the_table_has_the_types_of_the_code() -> None:
    known = {each["name"] for each in definitions([BUILT_IN, OWN])["entityDefs"]}
    constants = {
        node.value
        for file in NAMING
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant)
    }
    assert sorted(name for name, _, _ in EVIDENCE) == sorted((known & constants) - NEVER_SENT)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind", "source"), EVIDENCE, ids=[name for name, _, _ in EVIDENCE])
def test_documented_evidence_matches_the_rows(name: str, kind: str, source: str) -> None:
    of_type = [row for row in (*rows("tables.csv"), *storage_rows()) if row.type == name]
    certainties = {row.certainty for row in of_type}
    titles = {row.source.partition(": ")[2] for row in of_type if row.certainty == "documented"}
    assert kind in {"documented", "seen", "derived"}
    if kind == "documented":
        assert any(title in source for title in titles)
    elif kind == "seen" and of_type:
        assert certainties & {"tested", "practice"}
    else:
        assert not any("Microsoft Learn" in row.source and row.certainty == "documented" for row in of_type)
