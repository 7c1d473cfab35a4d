"""Define rules that explain errors of Kafka clients, and helpers to write them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sac_kafka.transport.base import FailureKind

ADDRESS = "check atlas.kafka.bootstrap.servers: host and port"
PROTOCOL = "check the port in atlas.kafka.bootstrap.servers and atlas.kafka.security.protocol"
WAIT = "messages are kept; check the broker and the network path to it"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that explains matching errors by a cause and a fix.

    It matches errors with one of the `names` (any name if empty) whose text matches `pattern` and `about`, if set. Of two
    errors the one with the higher `weight` is reported: 3 a cause, 2 a connection error, 1 a guess, 0 no information. If a
    connection error occurs `blocks_after` times without a delivery in between, no record can be delivered; 0: never. A
    `guess` matches only until the first delivery.
    """

    kind: str
    failure_kind: FailureKind
    cause: str
    fix: str
    names: frozenset[str] = frozenset()
    pattern: re.Pattern[str] | None = None
    weight: int = 3
    blocks_after: int = 0
    guess: bool = False
    about: re.Pattern[str] | None = None

    def matches(self, name: str, text: str) -> bool:
        """Return whether this rule explains the error."""
        if self.names and name not in self.names:
            return False
        return all(each is None or each.search(text) for each in (self.about, self.pattern))


def needs_action(
    kind: str, cause: str, fix: str, pattern: str = "", *, names: str = "", weight: int = 3, blocks_after: int = 1
) -> Rule:
    """Return a rule for errors that a person must fix; by default the first one of a connection means that nothing gets through.

    `pattern` is searched for in any case; `names` are separated by spaces.
    """
    searched = has(pattern) if pattern else None
    return Rule(
        kind,
        FailureKind.NEEDS_ACTION,
        cause,
        fix,
        frozenset(names.split()),
        searched,
        weight,
        blocks_after=blocks_after,
    )


def transient(
    kind: str,
    cause: str,
    fix: str,
    pattern: str = "",
    *,
    names: str = "",
    weight: int = 2,
    blocks_after: int = 0,
    guess: bool = False,
) -> Rule:
    """Return a rule for errors that may pass, most of them of the connection; arguments as of `needs_action`."""
    rule = needs_action(kind, cause, fix, pattern, names=names, weight=weight, blocks_after=blocks_after)
    return replace(rule, failure_kind=FailureKind.TRANSIENT, guess=guess)


def rejected(kind: str, cause: str, fix: str, *, names: str) -> Rule:
    """Return a rule for errors of a single record."""
    return replace(needs_action(kind, cause, fix, names=names, blocks_after=0), failure_kind=FailureKind.REJECTED)


def has(pattern: str) -> re.Pattern[str]:
    """Return a case-insensitive pattern for `search`. It should not contain `.*`; use `in_order` instead."""
    return re.compile(pattern, re.IGNORECASE)


def in_order(first: str, then: str) -> str:
    """Return a pattern for two texts in one line that takes linear time; `first.*then` restarts at every `first`."""
    return rf"\A(?:(?!{first}).)*{first}.*(?:{then})"
