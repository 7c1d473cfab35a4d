"""The mounts of a Databricks workspace, which only its own utilities know: `dbutils.fs.mounts()`.

Names of paths get better by them, nothing else: whoever asks gets an answer, in seconds, if only that there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sac_kafka.deadlines import within
from sac_kafka.log import logger
from sac_kafka.spark.java_errors import brief
from sac_kafka.spark.quiet import unlogged

SECONDS = 5.0
"""Asking takes a call to the workspace; the driver's own jobs do not wait for it longer than this."""
MAX_MOUNTS = 1_000

_SIGNS = ("spark.databricks.workspaceUrl", "spark.databricks.clusterUsageTags.")
"""How the configuration of a driver of Databricks begins."""


def _of_holder(context: Any) -> Any:  # noqa: ANN401 Py4J objects
    return context._jvm.com.databricks.dbutils_v1.DBUtilsHolder.dbutils().fs().mounts()


def _of_entry_point(context: Any) -> Any:  # noqa: ANN401 Py4J objects
    return context._gateway.entry_point.getDbutils().fs().mounts()


def _of_utilities(context: Any) -> Any:  # noqa: ANN401 Py4J objects
    return context._jvm.com.databricks.dbutils_v1.impl.DbfsUtilsImpl(True).mounts()


def _of_older_utilities(context: Any) -> Any:  # noqa: ANN401 Py4J objects
    return context._jvm.com.databricks.dbutils_v1.impl.DbfsUtilsImpl().mounts()


_WAYS: tuple[Callable[[Any], Any], ...] = (_of_holder, _of_entry_point, _of_utilities, _of_older_utilities)
"""Where runtimes have their utilities; the first holds them for the thread of a notebook, and not for every other one.

The first is what Databricks documents for Scala, the second what its notebooks use; the others are behind both of them.
"""


def is_databricks(conf: Mapping[str, str]) -> bool:
    """True where a driver's configuration is one of Databricks."""
    return any(key.startswith(_SIGNS) for key in conf)


def read_mounts(context: Any, conf: Mapping[str, str], seconds: float = SECONDS) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 a SparkContext
    """Mount points and what they stand for, without keys; () where there are none, or nobody tells. Never raises."""
    if not is_databricks(conf):
        return ()
    try:
        return within(seconds, lambda: _asked(context))
    except Exception as error:  # noqa: BLE001 a time-out, or a gateway that is gone
        logger.debug("the mounts cannot be asked for: %s", brief(error))
        return ()


def _asked(context: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 a SparkContext
    found = (_by(way, context) for way in _WAYS)
    return next((each for each in found if each is not None), ())


def _by(way: Callable[[Any], Any], context: Any) -> tuple[tuple[str, str], ...] | None:  # noqa: ANN401 a SparkContext
    """What one of the ways gives; None where the runtime does not have it."""
    try:
        with unlogged():  # an address can hold a key
            return _pairs(way(context))
    except Exception as error:  # noqa: BLE001 another runtime, or compute that forbids it
        logger.debug("mounts by %s: %s", way.__name__, brief(error))
        return None


def _pairs(found: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 a Seq of Scala's
    each = (found.apply(i) for i in range(min(int(found.size()), MAX_MOUNTS)))
    return tuple((str(mount.mountPoint()), without_keys(str(mount.source()))) for mount in each)


def without_keys(source: str) -> str:
    """The address of a store without keys in front of the host, and without what a signature would stand in.

    >>> without_keys("s3a://AKIA:key/part@lake/raw"), without_keys("wasbs://raw@acct.blob.core.windows.net/?sig=abc")
    ('s3a://lake/raw', 'wasbs://raw@acct.blob.core.windows.net/')
    """
    scheme, found, rest = source.partition("://")
    if not found:
        return source.partition("?")[0]
    rest = rest.partition("?")[0]
    # A key can have a slash in it: what stands before the last @ is a login, if there is a colon in it.
    before, at, after = rest.rpartition("@")
    return f"{scheme}://{after if at and ':' in before else rest}"
