"""What is found in one step of `sac-kafka doctor`, whatever is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """What became of a step; the value is what is printed.

    SKIPPED is what was not looked at and need not be; UNTOLD is what nobody can tell from here.
    """

    GOOD = "ok"
    DOUBT = "warn"
    WRONG = "FAIL"
    SKIPPED = "-"
    UNTOLD = "?"


@dataclass(frozen=True, slots=True)
class Finding:
    """A step: what was looked at (`name`), and what was found, in one line that ends in what to do."""

    verdict: Verdict
    name: str
    text: str


def found(name: str, problem: str, good: str) -> Finding:
    """Give what is wrong, or, where `problem` is "", what is good."""
    return Finding(Verdict.WRONG, name, problem) if problem else Finding(Verdict.GOOD, name, good)
