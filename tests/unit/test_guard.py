"""The guard that contains errors of the hook."""

from __future__ import annotations

import logging

import pytest

from sac_kafka import guard
from sac_kafka.guard import Guard


@pytest.mark.planted
def test_counts_each_error_and_logs_each_kind_once(caplog: pytest.LogCaptureFixture) -> None:
    guarded = Guard()
    for _ in range(3):
        with guarded("entities"):
            raise ValueError("https://user:hunter2@host/x?sig=abc failed")

    assert guarded.counts == {"entities: ValueError": 3}
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "hunter2" not in caplog.text
    assert "sig=abc" not in caplog.text
    assert "test_guard.py" in record.getMessage()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_errors_of_the_user_pass(error: type[BaseException]) -> None:
    guarded = Guard()
    with pytest.raises(error), guarded("entities"):
        raise error

    assert guarded.counts == {}


@pytest.mark.planted
def test_tests_hear_of_every_error(own_errors: list[tuple[str, Exception]]) -> None:
    assert guard.on_error is not None
    with Guard()("decode"):
        raise LookupError("planted")

    ((stage, error),) = own_errors
    assert (stage, type(error)) == ("decode", LookupError)


def test_signal_handler_may_interrupt_counting() -> None:
    guarded = Guard()
    with guarded._lock:
        assert guarded.counts == {}
