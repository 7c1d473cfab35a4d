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
    from collections.abc import Mapping

    from sac_kafka.catalog.verification import Verification
    from sac_kafka.emitting.configuration import Conf
    from sac_kafka.emitting.tracking import Tracked
    from sac_kafka.hook.hook import Hook
    from sac_kafka.stats import Flushed, Stats
    from sac_kafka.tools.graph.flows import Flow

__all__ = [
    "Flow",
    "Flushed",
    "Hook",
    "Stats",
    "Tracked",
    "Verification",
    "attach",
    "detach",
    "emit",
    "flush",
    "register",
    "track",
]

_MODULES = {
    "Flow": "tools.graph.flows",
    "Flushed": "stats",
    "Hook": "hook.hook",
    "Stats": "stats",
    "Tracked": "emitting.tracking",
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


def emit(
    *,
    job: str,
    inputs: object = (),
    outputs: object,
    columns: Mapping[str, object] | None = None,
    conf: Conf = None,
    wait: float | None = 10.0,
    **run: object,
) -> Flushed:
    """State a flow by hand: what a job without Spark has read and written.

        sac_kafka.emit(
            job="daily orders",
            inputs=["s3://raw/orders"],
            outputs=["sales.orders"],
            columns={"orders.total": {"aggregation": ["amount"]}},
        )

    Usable in any thread, and in a loop: a process has one connection. What the server does not take is in the spool.

    Args:
        job: The name of the job, the same from run to run: flows are named by it.
        inputs: Datasets (`docs/emit.md`): URIs, `database.table`, pairs of a JDBC URL and a table or of an OpenLineage
            namespace and a name, local paths; in a list, or by alias in a dict.
        outputs: Datasets, at least one.
        columns: By column of an output (`dataset.column`, without a dataset if there is only one) the columns of inputs, in
            a list, or in a dict by kind of use: direct, expression, aggregation, condition, window.
        conf: A configuration file or directory, or a dict of settings as in `attach`; by default the file is found as in
            the hook.
        wait: Seconds to wait until the message is delivered or spooled; None for as long as it takes, 0 not to wait: the end
            of the process does.
        run: Facts of the run: `started`, `ended` (datetime, ISO 8601 text or epoch seconds), `failure` (an exception or
            the name of its class), `rows` written, `replaces` (True if all previous data was replaced), `sql`, `engine`
            ("DuckDB 1.4"), `run_id`, `facts` (a dict of texts); and `datasets` with columns and descriptions.

    Returns:
        What became of the messages of this process; true if all are delivered.

    Raises:
        ConfigurationError: The configuration is wrong.
        FlowError: The flow is wrong; nothing of it was sent.
    """
    from sac_kafka.emitting.emission import emit_flow

    return emit_flow({**run, "job": job, "inputs": inputs, "outputs": outputs, "columns": columns}, conf, wait)


def register(*datasets: object, conf: Conf = None, wait: float | None = 10.0) -> Flushed:
    """Describe datasets before any flow uses them: columns with types, descriptions, owners.

        sac_kafka.register({"dataset": "sales.orders", "owner": "sales", "columns": {"id": "bigint"}})

    The server keeps what is not stated.

    Args:
        datasets: Datasets as in `emit`, each a dict with `dataset` and any of `columns`, `description`, `owner`, `tags`,
            `format`.
        conf: As in `emit`.
        wait: As in `emit`.

    Returns:
        As of `emit`; errors as well.
    """
    from sac_kafka.emitting.emission import register_datasets

    return register_datasets(datasets, conf, wait)


def track(
    *,
    job: str | None = None,
    inputs: object = (),
    outputs: object = (),
    columns: Mapping[str, object] | None = None,
    conf: Conf = None,
    wait: float | None = 10.0,
    **run: object,
) -> Tracked:
    """State the flow of a function or a block: a decorator, and a context manager.

        @sac_kafka.track(inputs=["s3://raw/orders"], outputs=["sales.orders"])
        def load(): ...

        with sac_kafka.track(job="daily orders") as flow:
            flow.reads("s3://raw/orders")
            flow.writes("sales.orders")

    An exception marks the run as failed, and passes unchanged. Delivery never raises.

    Args:
        job: As in `emit`; of a decorated function, by default its module and name.
        inputs: As in `emit`.
        outputs: As in `emit`.
        columns: As in `emit`.
        conf: As in `emit`.
        wait: As in `emit`.
        run: As in `emit`, without times and failure.

    Raises:
        FlowError: The flow is wrong.
    """
    from sac_kafka.emitting.tracking import Tracked

    return Tracked(job, inputs, outputs, columns, conf, wait, run)


def flush(timeout_seconds: float | None = 10.0) -> Flushed:
    """Flush every hook of this process, and what it emits; true if everything is delivered, false without either.

    Args:
        timeout_seconds: The longest wait, in seconds; None for as long as it takes.
    """
    import sys
    import time

    from sac_kafka.deadlines import waitable
    from sac_kafka.hook.hook import hooks
    from sac_kafka.stats import combine_flushes

    deadline = time.monotonic() + waitable(timeout_seconds)
    emitting = sys.modules.get("sac_kafka.emitting.session")
    flushing = (*hooks(), *(emitting.sessions() if emitting is not None else ()))
    return combine_flushes(each.flush(max(0.0, deadline - time.monotonic())) for each in flushing)


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
