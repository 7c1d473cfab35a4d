"""Py4J's DEBUG log, which has every command and answer of a call, shows no secret."""

from __future__ import annotations

import logging
import threading
from typing import Any

import pytest

from sac_kafka.spark import kafka_producer
from sac_kafka.spark.java_errors import suspend_logging

NAMES = ("py4j.clientserver", "py4j.java_gateway")


@pytest.fixture(autouse=True)
def debug(caplog: pytest.LogCaptureFixture) -> None:
    for name in NAMES:
        caplog.set_level(logging.DEBUG, name)


@pytest.mark.parametrize("name", NAMES)
def test_only_warnings_are_logged_within(name: str, caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger(name)
    with suspend_logging():
        with suspend_logging():
            logger.debug("Command to send: %s", "secret")
        logger.info("Answer received: %s", "secret")
        logger.warning("the connection is gone")
    logger.debug("after")

    assert [record.getMessage() for record in caplog.records] == ["the connection is gone", "after"]


def test_logging_is_restored_after_an_error(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ZeroDivisionError), suspend_logging():
        1 // 0  # noqa: B018
    logging.getLogger(NAMES[0]).debug("after")

    assert caplog.messages == ["after"]


def test_other_threads_are_logged_as_before(caplog: pytest.LogCaptureFixture) -> None:
    with suspend_logging():
        other = threading.Thread(target=logging.getLogger(NAMES[0]).debug, args=["theirs"])
        other.start()
        other.join()

    assert caplog.messages == ["theirs"]


class Java:
    """Anything of a JVM; logs each call with its arguments, as Py4J does."""

    def __getattr__(self, name: str) -> Any:
        return Java()

    def __call__(self, *arguments: object) -> Any:
        logging.getLogger(NAMES[0]).debug("Command to send: %s", arguments)
        return Java()

    def __setitem__(self, index: int, value: object) -> None:
        pass

    def __getitem__(self, index: int) -> Any:
        return Java()


def test_the_settings_of_a_producer_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    Java().call("before")
    kafka_producer.start(Java(), Java(), Java(), {"sasl.jaas.config": "password=geheim", "client.id": "geheim"})

    assert caplog.messages == ["Command to send: ('before',)"]
