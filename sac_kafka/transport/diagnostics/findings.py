"""Define the result of a check of `sac-kafka doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """Result of a check; the value is what is printed.

    SKIPPED: not checked, as it does not apply. UNKNOWN: cannot be determined from this machine.
    """

    GOOD = "ok"
    DOUBT = "warn"
    WRONG = "FAIL"
    SKIPPED = "-"
    UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of the check `name`, with a one-line text that ends in the fix; `destination` is "" for the first destination."""

    verdict: Verdict
    name: str
    text: str
    destination: str = ""


def finding_of(name: str, problem: str, good: str) -> Finding:
    """Return a finding with the problem, or with the text `good` if `problem` is ""."""
    return Finding(Verdict.WRONG, name, problem) if problem else Finding(Verdict.GOOD, name, good)
