"""The clusters of the tests: a failed start reports the reason, and leaves nothing running."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path

import pytest

import stack.yarn
from stack.errors import StackError
from stack.ports import LOOPBACK
from stack.standalone import spark_home
from stack.yarn import Yarn

pytestmark = pytest.mark.yarn


def test_a_yarn_that_does_not_start_reports_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        monkeypatch.setattr(stack.yarn, "free_port", lambda _: taken.getsockname()[1])
        yarn = Yarn(tmp_path)
        # Either server may be the first that ends, and its log is the one in the error.
        with pytest.raises(StackError, match=r"YARN did not come up(?s:.*)(resource|node)manager\.log(?s:.*)in use"):
            yarn.start()
    assert yarn._processes == {}


def test_a_missing_pyspark_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(StackError, match="pip install pyspark"):
        spark_home()
