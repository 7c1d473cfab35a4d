"""The thread of a listener that projects, seen from outside: what a test says of bounds depends on how far it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tests.waiting import LONG_SECONDS, until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sac_kafka.spark.listener import Listener

SLEEPER = "sackafkatest.Sleeper"
THREAD = "sac-kafka-projector"
WAITING = "HandOff.take"


def wait_until_handed_over(spark: SparkSession) -> None:
    """Until the listeners have all events of what was run so far; projected they need not be."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(int(LONG_SECONDS * 1000))


def wait_until_projected(spark: SparkSession, listener: Listener) -> None:
    """Until all of what was run so far is in the queue of texts or has been dropped, without a poll."""
    wait_until_handed_over(spark)
    until(
        lambda: _field(listener._java, "waiting") == 0 and WAITING in _stack(listener),
        lambda: _stack(listener),
    )


def wait_until_idle(spark: SparkSession) -> None:
    """Until no listener has anything to project, whoever has started it: what is looked up is what is there now."""
    wait_until_handed_over(spark)
    time.sleep(0.05)  # a thread that is woken still stands where it waited, until it runs
    threads = spark.sparkContext._jvm.java.lang.Thread.getAllStackTraces().keySet()
    projecting = [thread for thread in threads if thread.getName() == THREAD]
    until(lambda: all(WAITING in _stack_of(thread) for thread in projecting if thread.isAlive()))


def wait_until_held(spark: SparkSession, listener: Listener) -> None:
    """Until the thread is inside a relation that holds it."""
    wait_until_handed_over(spark)
    until(lambda: SLEEPER in _stack(listener), lambda: _stack(listener))


def _stack(listener: Listener) -> str:
    return _stack_of(_field(_field(listener._java, "projector"), "thread"))


def _stack_of(thread: Any) -> str:
    return " < ".join(map(str, thread.getStackTrace()))


def _field(of: Any, name: str) -> Any:
    field = of.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(of)
