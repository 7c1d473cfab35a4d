"""Read the mounts of a Databricks workspace with its utilities, `dbutils.fs.mounts()`.

They only improve the names of paths, so reading them is bounded in time and never fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sac_kafka.deadlines import within
from sac_kafka.log import logger
from sac_kafka.spark.java_errors import brief, suspend_logging

SECONDS = 5.0
"""Limit for reading the mounts, in seconds: it needs a call to the workspace."""
MAX_MOUNTS = 1_000

_SIGNS = ("spark.databricks.workspaceUrl", "spark.databricks.clusterUsageTags.")
"""Prefixes of configuration keys that only drivers of Databricks have."""


def _of_holder(context: Any) -> Any:  # noqa: ANN401 Py4J objects
    return context._jvm.com.databricks.dbutils_v1.DBUtilsHolder.dbutils().fs().mounts()


def _of_entry_point(context: Any) -> Any:  # noqa: ANN401 Py4J objects
    return context._gateway.entry_point.getDbutils().fs().mounts()


def _of_utilities(context: Any) -> Any:  # noqa: ANN401 Py4J objects
    return context._jvm.com.databricks.dbutils_v1.impl.DbfsUtilsImpl(True).mounts()


def _of_older_utilities(context: Any) -> Any:  # noqa: ANN401 Py4J objects
    return context._jvm.com.databricks.dbutils_v1.impl.DbfsUtilsImpl().mounts()


_WAYS: tuple[Callable[[Any], Any], ...] = (_of_holder, _of_entry_point, _of_utilities, _of_older_utilities)
"""Ways to get the utilities. The first is documented for Scala and only works in the thread of a notebook.

The second is used by Python notebooks; the others are the implementations of both.
"""


def is_databricks(conf: Mapping[str, str]) -> bool:
    """Return whether the configuration is that of a Databricks driver."""
    return any(key.startswith(_SIGNS) for key in conf)


def read_mounts(context: Any, conf: Mapping[str, str], seconds: float = SECONDS) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 a SparkContext
    """Return mount points and their targets without keys; () if there are none or they cannot be read. Never raises."""
    if not is_databricks(conf):
        return ()
    try:
        return within(seconds, lambda: _read_any(context))
    except Exception as error:  # noqa: BLE001 a time-out, or a gateway that is gone
        logger.debug("the mounts cannot be read: %s", brief(error))
        return ()


def _read_any(context: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 a SparkContext
    found = (_by(way, context) for way in _WAYS)
    return next((each for each in found if each is not None), ())


def _by(way: Callable[[Any], Any], context: Any) -> tuple[tuple[str, str], ...] | None:  # noqa: ANN401 a SparkContext
    """Return the mounts read in one way; None if the runtime does not support it."""
    try:
        with suspend_logging():  # an address can hold a key
            return _pairs(way(context))
    except Exception as error:  # noqa: BLE001 another runtime, or compute that forbids it
        logger.debug("mounts by %s: %s", way.__name__, brief(error))
        return None


def _pairs(found: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 a Seq of Scala's
    each = (found.apply(i) for i in range(min(int(found.size()), MAX_MOUNTS)))
    return tuple((str(mount.mountPoint()), without_keys(str(mount.source()))) for mount in each)


def without_keys(source: str) -> str:
    """Return the address of a store without credentials before the host and without the query string.

    >>> without_keys("s3a://AKIA:key/part@lake/raw"), without_keys("wasbs://raw@acct.blob.core.windows.net/?sig=abc")
    ('s3a://lake/raw', 'wasbs://raw@acct.blob.core.windows.net/')
    """
    scheme, found, rest = source.partition("://")
    if not found:
        return source.partition("?")[0]
    rest = rest.partition("?")[0]
    # A key may contain a slash: everything before the last @ is a login if it contains a colon.
    before, at, after = rest.rpartition("@")
    return f"{scheme}://{after if at and ':' in before else rest}"
