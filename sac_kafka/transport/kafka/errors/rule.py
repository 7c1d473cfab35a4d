"""A row of the table of Kafka's errors, and what rows are made of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sac_kafka.transport.base import FailureKind

ADDRESS = "check atlas.kafka.bootstrap.servers: host and port"
PROTOCOL = "check the port in atlas.kafka.bootstrap.servers and atlas.kafka.security.protocol"
WAIT = "messages are kept; check the broker and the network path to it"


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table.

    It fits an error of one of the `names` (any name, where there are none) whose text has `pattern` and `about` (any
    text, without them). `weight` says which of two troubles is told: 3 is a cause, 2 a connection, 1 a guess, 0 nothing
    by itself. An error of a connection that comes `blocks_after` times with nothing delivered in between says that
    nothing will get through; 0: it never says so. A `guess` fits only as long as nothing ever got through.
    """

    kind: str
    failure_kind: FailureKind
    says: str
    cure: str
    names: frozenset[str] = frozenset()
    pattern: re.Pattern[str] | None = None
    weight: int = 3
    blocks_after: int = 0
    guess: bool = False
    about: re.Pattern[str] | None = None

    def fits(self, name: str, text: str) -> bool:
        """Say whether this row is about the error."""
        if self.names and name not in self.names:
            return False
        return all(each is None or each.search(text) for each in (self.about, self.pattern))


def names(text: str) -> frozenset[str]:
    """Give names that stand in one text."""
    return frozenset(text.split())


def has(pattern: str) -> re.Pattern[str]:
    """Give a pattern that ignores case. It is searched for, so it holds no `.*`: `in_order` is for that."""
    return re.compile(pattern, re.IGNORECASE)


def in_order(first: str, then: str) -> str:
    """Give a pattern for two things in one line, linear in its length: `first.*then` would try every `first` anew."""
    return rf"\A(?:(?!{first}).)*{first}.*(?:{then})"
