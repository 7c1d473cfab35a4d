"""sac_kafka: table and column lineage of Spark to Apache Atlas and Microsoft Purview, through the topic ATLAS_HOOK.

    import sac_kafka
    hook = sac_kafka.attach(spark)

That is all a job needs; settings come from `atlas-application.properties`. Importing this package loads neither PySpark
nor a Kafka client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sac_kafka.hook import Hook

__all__ = ["attach", "detach", "flush"]
__version__ = "0.1.0"


def attach(spark: Any) -> Hook:  # noqa: ANN401 a SparkSession or SparkContext
    """Report the lineage of everything that runs in the SparkContext of `spark`, in all of its sessions.

    Idempotent: a second call for the same context gives the same hook. Never fails the job: what is wrong (settings, a
    session without a driver JVM) is one warning, and the hook that comes back is disabled.

    Args:
        spark: A SparkSession or SparkContext of this process.

    Returns:
        The hook, with `flush`, `stats` and `detach`.
    """
    from sac_kafka.hook import attach as attach_hook

    return attach_hook(spark)


def flush(timeout_seconds: float = 10.0) -> bool:
    """Wait at most `timeout_seconds` for the delivery of all lineage so far; True if every active hook has done it."""
    from sac_kafka.hook import hooks

    delivered = [hook.flush(timeout_seconds) for hook in hooks() if hook.is_active]
    return all(delivered)


def detach() -> None:
    """Detach every active hook."""
    from sac_kafka.hook import hooks

    for hook in hooks():
        hook.detach()
