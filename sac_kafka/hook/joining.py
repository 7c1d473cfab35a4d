"""Join the Python process that serves a SparkContext: register this process, and instrument PySpark."""

from __future__ import annotations

from sac_kafka.guard import Guard
from sac_kafka.hook.application import application_of_driver, warn_of_other_settings
from sac_kafka.hook.joined import Joined
from sac_kafka.settings import Settings
from sac_kafka.spark.calls import instrument
from sac_kafka.spark.listener import Listener
from sac_kafka.spark.port import SparkDriver


def join(driver: SparkDriver, settings: Settings, guard: Guard, listener: Listener) -> Joined:
    """Create the hook of a process that is served by another one, and register the process.

    Args:
        driver: The driver's JVM.
        settings: The settings of this process, of which only the job's name has an effect.
        guard: The guard of the instrumented methods.
        listener: Passes calls on to the listener of the serving process.
    """
    session = driver.session()
    application, process = application_of_driver(driver, session, settings, guard)
    warn_of_other_settings(process, listener.server(), listener.owner())
    listener.register(process.text())
    bounds = settings.driver
    calls = instrument(listener, guard, follows_rdds=bounds.follows_rdds, statement_values=bounds.statement_values)
    return Joined(listener, application, calls, bounds.exit_timeout_seconds)
