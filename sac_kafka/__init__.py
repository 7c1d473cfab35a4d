"""sac_kafka: table and column lineage of Spark to Apache Atlas and Microsoft Purview, through the topic ATLAS_HOOK.

    import sac_kafka
    hook = sac_kafka.attach(spark)

That is all a job needs; settings come from `atlas-application.properties`, Spark's configuration or the call. Importing
this package loads neither PySpark nor a Kafka client.

PYTEST_DONT_REWRITE: the package may be imported before pytest finds its plug-in, without a warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sac_kafka.version import __version__ as __version__

if TYPE_CHECKING:
    from sac_kafka.catalog.verification import Verification
    from sac_kafka.hook.hook import Hook
    from sac_kafka.stats import Flushed, Stats
    from sac_kafka.tools.graph.flows import Flow

__all__ = ["Flow", "Flushed", "Hook", "Stats", "Verification", "attach", "detach", "flush"]

_MODULES = {
    "Flow": "tools.graph.flows",
    "Flushed": "stats",
    "Hook": "hook.hook",
    "Stats": "stats",
    "Verification": "catalog.verification",
}


def attach(spark: Any, *, job_name: str | None = None, **settings: object) -> Hook:  # noqa: ANN401 a SparkSession or SparkContext
    """Report the lineage of everything that runs in the SparkContext of `spark`, in all of its sessions.

        hook = sac_kafka.attach(spark, job_name="daily_orders", client_type="console")

    Idempotent: a second call for the same context returns the same hook. Never fails the job: on an error (wrong settings, a
    session without a driver JVM) it logs one warning and returns a disabled hook.

    Args:
        spark: A SparkSession or SparkContext of this process.
        job_name: The name of the job, the same from run to run: flows are named by it.
        settings: Settings over those of the file and of Spark's configuration. A name is a key without
            `atlas.hook.spark.` or `atlas.`, with `_` for each dot (`rest_address`, `kafka_bootstrap_servers`); or pass
            the key in full: `**{"atlas.metadata.namespace": "prod"}`.

    Returns:
        The hook, with `flush`, `stats`, `detach`; it is a context manager.
    """
    from sac_kafka.hook.hook import attach as attach_hook

    return attach_hook(spark, {"job_name": job_name, **settings})


def flush(timeout_seconds: float | None = 10.0) -> Flushed:
    """Flush every hook of this process; true if everything of all of them is delivered, false without a hook.

    Args:
        timeout_seconds: The longest wait, in seconds; None for as long as it takes.
    """
    import time

    from sac_kafka.deadlines import waitable
    from sac_kafka.hook.hook import hooks
    from sac_kafka.stats import combine_flushes

    deadline = time.monotonic() + waitable(timeout_seconds)
    return combine_flushes(hook.flush(max(0.0, deadline - time.monotonic())) for hook in hooks())


def detach() -> None:
    """Detach every active hook."""
    from sac_kafka.hook.hook import hooks

    for hook in hooks():
        hook.detach()


def __getattr__(name: str) -> Any:  # noqa: ANN401 a class that is loaded on first use
    """Import exported names on first use, so that `import sac_kafka` stays cheap."""
    if name not in _MODULES:
        raise AttributeError(f"module 'sac_kafka' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"sac_kafka.{_MODULES[name]}"), name)
