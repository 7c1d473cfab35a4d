"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import sac_kafka

PACKAGE = Path(sac_kafka.__file__).parent
FILES = sorted(file for file in PACKAGE.rglob("*.py") if ">>> " in file.read_text("utf-8"))
"""To look for examples in all that a module defines takes longer than to run them."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_examples(file: Path) -> None:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
    failed, tried = doctest.testmod(module)

    assert failed == 0
    assert tried
