"""The table of failures: every failure has a meaning, and every rule a failure."""

from __future__ import annotations

import itertools

import pytest

from sac_kafka.transport.http.client import Answer, HttpServer, UnansweredReason
from sac_kafka.transport.http.failures import CONFIGURATION_KEYS, FAILURES, HttpAttempt, HttpRule, Use, explain_answer

STATUSES = tuple(range(100, 600))


@pytest.mark.parametrize("use", Use)
def test_every_failure_has_a_meaning(use: Use) -> None:
    attempt = HttpAttempt(use=use, server=HttpServer(address="http://a"), names=CONFIGURATION_KEYS)
    for reason in UnansweredReason:
        assert any(rule.matches(attempt, reason, "", None) for rule in FAILURES)
    for status in STATUSES:
        refusal = explain_answer(attempt, Answer(status, {}, b""))
        assert (refusal is None) == (200 <= status < 300)
        assert refusal is None or "{" not in refusal.failure.reason


def test_no_rule_is_hidden_by_an_earlier_one() -> None:
    def is_hidden(rule: HttpRule, cause: int | UnansweredReason, use: Use) -> bool:
        """Return whether an earlier rule without words and condition matches this cause and use, or one with the same."""
        return any(
            use in each.uses and cause in each.causes and each.when is None and each.words in ((), rule.words)
            for each in FAILURES[: FAILURES.index(rule)]
        )

    for rule in FAILURES:
        causes = [each for each in (*UnansweredReason, *STATUSES) if each in rule.causes]
        assert not all(is_hidden(rule, *pair) for pair in itertools.product(causes, rule.uses)), rule.sentence
