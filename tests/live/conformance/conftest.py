"""Keeps what came out of each case, and prints it as a table at the end."""

from __future__ import annotations

import pytest

from tests.live.conformance.expectations import table_of_results

_RESULTS: list[tuple[str, str, list[str]]] = []


@pytest.fixture
def conformance_results() -> list[tuple[str, str, list[str]]]:
    return _RESULTS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _RESULTS:
        terminalreporter.section("conformance")
        for line in table_of_results(_RESULTS):
            terminalreporter.write_line(line)
