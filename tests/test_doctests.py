"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import sac_kafka

MODULES = [m.name for m in pkgutil.walk_packages(sac_kafka.__path__, "sac_kafka.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))

    assert failed == 0
