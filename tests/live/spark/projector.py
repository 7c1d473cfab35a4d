"""The projecting threads, seen from outside: tests of bounds and of time depend on their progress."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tests.helpers.waiting import LONG_SECONDS, until
from tests.live.spark.sleeper import compiled, instance

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sac_kafka.spark.listener import Listener

SLEEPER = "sackafkatest.Sleeper"
WAITING = "HandOff.take"
_LISTENER = "sackafka.ProjectionListener"
_AGING = """
package sackafkatest;

import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicLong;

public class Aging {
  public Aging(Object projector, Object millis) throws Exception {
    Field since = projector.getClass().getDeclaredField("since");
    since.setAccessible(true);
    ((AtomicLong) since.get(projector)).addAndGet(-((Number) millis).longValue() * 1000000L);
  }
}
"""


def wait_until_handed_over(spark: SparkSession) -> None:
    """Until the listeners have all events of what was run so far; projected they need not be."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(int(LONG_SECONDS * 1000))


def wait_until_projected(spark: SparkSession, listener: Listener) -> None:
    """Until all of what was run so far is in the queue of texts or has been dropped, without a poll."""
    wait_until_handed_over(spark)
    _wait_until_idle(listener.java)


def wait_until_idle(spark: SparkSession) -> None:
    """Wait until no listener has anything left to project, so that later look-ups see the current state."""
    wait_until_handed_over(spark)
    for listener in _listeners(spark):
        _wait_until_idle(listener)


def wait_until_held(spark: SparkSession, listener: Listener) -> None:
    """Until the thread is inside a relation that holds it."""
    wait_until_handed_over(spark)
    until(lambda: SLEEPER in _stack(listener.java), lambda: _stack(listener.java))


def thread(listener: Listener) -> Any:
    """Return the thread that projects now: another one replaces a thread that is abandoned."""
    return _thread(listener.java)


def age(spark: SparkSession, listener: Listener, seconds: float) -> None:
    """Backdate the event that is being projected, so that no test waits until it counts as stuck."""
    aging = compiled(spark, _AGING, "sackafkatest.Aging")
    instance(spark, aging, _field(listener.java, "projector"), int(seconds * 1000))


def _listeners(spark: SparkSession) -> Iterator[Any]:
    """Return the listeners of this context."""
    for queue in _field(spark.sparkContext._jsc.sc().listenerBus(), "queues"):
        yield from (each for each in queue.listeners() if each.getClass().getName() == _LISTENER)


def _wait_until_idle(listener: Any) -> None:
    """Until all events are projected, and the thread is back where it takes the next one."""
    until(lambda: _field(listener, "waiting") == 0 and WAITING in _stack(listener), lambda: _stack(listener))


def _stack(listener: Any) -> str:
    return " < ".join(map(str, _thread(listener).getStackTrace()))


def _thread(listener: Any) -> Any:
    return _field(_field(listener, "projector"), "thread")


def _field(of: Any, name: str) -> Any:
    field = of.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(of)
