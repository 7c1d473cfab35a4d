"""Read the facts of a session when the hook attaches: application, user, places of settings, and the name of a pipeline."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sac_kafka.errors import AttachError
from sac_kafka.log import logger
from sac_kafka.settings.files.finding import CLASS_PATH, Found
from sac_kafka.spark.java_classes import class_by_name
from sac_kafka.spark.java_errors import DEDICATED, brief, suspend_logging

_BETWEEN = "\x01"
_CLIENTS = ("hive.metastore.client.factory.class", "hive.imetastoreclient.factory.class")
"""What makes the metastore's client (AWS Glue's among them: `AWSGlueDataCatalogHiveClientFactory`)."""
_OWN_CLIENTS = (None, "", "org.apache.hadoop.hive.ql.metadata.SessionHiveMetaStoreClientFactory")
_DERBY = "jdbc:derby:"
_EMBEDDED_DERBY = "org.apache.derby.jdbc.EmbeddedDriver"
_COMMAND = ("pyspark", "pipelines", "cli.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The facts of a SparkContext; `conf` is the session's configuration, `started_ms` epoch milliseconds."""

    application_id: str
    attempt: str | None
    name: str
    user: str
    spark_version: str
    started_ms: int
    conf: Mapping[str, str] = field(repr=False)  # it holds passwords


def spark_context(spark: Any) -> Any:  # noqa: ANN401 a SparkSession or SparkContext
    """Return the SparkContext of a session, or the argument if it is one.

    Raises:
        AttachError: There is no driver JVM here (Spark Connect), or nothing of Spark was given.
    """
    if isinstance(spark, type):
        raise AttachError(f"attach needs a SparkSession, got the class {spark.__name__}")
    kind = type(spark)
    if ".connect." in kind.__module__ and (context := _of_local_server()) is not None:
        return context
    if ".connect." in kind.__module__:
        raise AttachError(
            f"{_where_to_attach()}: a session of Spark Connect ({kind.__module__}.{kind.__name__}) has no driver JVM in "
            "this process"
        )
    context = spark
    if hasattr(spark, "_jsparkSession") or hasattr(spark, "_sc"):
        context = spark._sc
    if not hasattr(context, "_jsc"):
        got = "None" if spark is None else f"{kind.__module__}.{kind.__name__}".removeprefix("builtins.")
        raise AttachError(f"attach needs a SparkSession, got {got}")
    if context._jsc is None:
        raise AttachError("the SparkContext is stopped: attach to a running one")
    return context


def _of_local_server() -> Any:  # noqa: ANN401 a SparkContext, or None
    """Return the context of the Connect server that PySpark started in this process for `remote("local")`."""
    if "SPARK_LOCAL_REMOTE" not in os.environ:
        return None
    from pyspark import SparkContext

    return SparkContext._active_spark_context


def _where_to_attach() -> str:
    return (
        DEDICATED
        if "DATABRICKS_RUNTIME_VERSION" in os.environ
        else "attach in the driver, where the Connect server runs"
    )


def read_session(context: Any) -> Session:  # noqa: ANN401 a SparkContext
    """Ask the driver's JVM; a handful of calls."""
    scala = context._jsc.sc()
    attempt = scala.applicationAttemptId()
    return Session(
        application_id=scala.applicationId(),
        attempt=attempt.get() if attempt.isDefined() else None,
        name=scala.appName(),
        user=scala.sparkUser(),
        spark_version=scala.version(),
        started_ms=scala.startTime(),
        conf=_conf(context, scala),
    )


def _conf(context: Any, scala: Any) -> dict[str, str]:  # noqa: ANN401 Py4J objects
    """Return the context's configuration, overridden by that of the default session (in one call)."""
    with suspend_logging():
        pairs = (
            class_by_name(context._gateway, "scala.Predef").genericWrapArray(scala.conf().getAll()).mkString(_BETWEEN)
        )
        conf = {key: value for key, _, value in (each[1:-1].partition(",") for each in pairs.split(_BETWEEN) if each)}
        session = class_by_name(context._gateway, "org.apache.spark.sql.SparkSession").getDefaultSession()
        if session.isDefined():
            entries = _session_conf(session.get()).mkString(_BETWEEN).split(_BETWEEN)
            conf |= {key: value for key, arrow, value in (entry.partition(" -> ") for entry in entries) if arrow}
    return conf


def _session_conf(session: Any) -> Any:  # noqa: ANN401 Py4J objects
    """Return the configuration of a session. `conf` makes its shared state, which sets the context's warehouse directory."""
    try:
        shared = session.getClass().getDeclaredField("sharedState")
        shared.setAccessible(True)
        is_made = shared.get(session) is not None
    except Exception as error:  # noqa: BLE001 a platform's own class of sessions, which has no such field
        logger.debug("whether the session has a shared state cannot be read: %s", brief(error))
        is_made = True
    return session.conf().getAll() if is_made else session.initialSessionOptions()


def thread_properties(context: Any) -> dict[str, str]:  # noqa: ANN401 a SparkContext
    """Return the local properties of this thread's jobs; platforms set them for notebook cells."""
    try:
        with suspend_logging():
            entries = (
                class_by_name(context._gateway, "org.apache.spark.api.python.PythonUtils")
                .toScalaMap(context._jsc.sc().getLocalProperties())
                .mkString(_BETWEEN)
            )
    except Exception as error:  # noqa: BLE001 they only make names better
        logger.debug("the properties of this thread's jobs cannot be read: %s", brief(error))
        return {}
    return {key: value for key, arrow, value in (each.partition(" -> ") for each in entries.split(_BETWEEN)) if arrow}


def system_property(context: Any, name: str) -> str | None:  # noqa: ANN401 a SparkContext
    """Return a system property of the driver's JVM."""
    with suspend_logging():
        value = class_by_name(context._gateway, "java.lang.System").getProperty(name)
    return None if value is None else str(value)


def class_path_resource(context: Any, name: str, loader: Any) -> Found | None:  # noqa: ANN401 Py4J objects
    """Return a file on the class path of a loader, with its content if it is in a jar; None if it does not exist."""
    url = None if loader is None else loader.getResource(name)
    if url is None:
        return None
    if url.getProtocol() == "file":
        return Found(unquote(str(url.getPath())), CLASS_PATH)
    # The stream's class is not public, so that Py4J cannot call it. A Scanner can, and Latin-1 keeps every byte.
    scanner = class_by_name(context._gateway, "java.util.Scanner")(url.openStream(), "ISO-8859-1").useDelimiter("\\A")
    try:
        with suspend_logging():
            text = str(scanner.next()) if scanner.hasNext() else ""
    finally:
        scanner.close()
    return Found(str(url.toString()), CLASS_PATH, text.encode("iso-8859-1"))


def spark_file(context: Any, name: str) -> str | None:  # noqa: ANN401 a SparkContext
    """Return the local path of a file passed with `--files` (local mode, standalone)."""
    return str(class_by_name(context._gateway, "org.apache.spark.SparkFiles").get(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Metastore:
    """Where the session catalog keeps its tables.

    `uris` are those of a remote Hive metastore, None without one; `database` is the JDBC URL of a metastore's
    database that this application opens itself, None where the catalog is the application's own. `is_local`: to ask it is
    no call to another machine (memory, or Derby in this JVM); any client that is not known counts as one.
    """

    uris: str | None = None
    database: str | None = None
    is_local: bool = True


def read_metastore(context: Any, conf: Mapping[str, str]) -> Metastore:  # noqa: ANN401 a SparkContext
    """Ask the Hadoop configuration, which has what hive-site.xml says; `conf` is the session's."""
    if conf.get("spark.sql.catalogImplementation") != "hive":
        return Metastore()
    hadoop = context._jsc.hadoopConfiguration()
    uris = (hadoop.get("hive.metastore.uris") or "").strip()
    if uris:
        return Metastore(uris=uris, is_local=False)
    driver = hadoop.get("javax.jdo.option.ConnectionDriverName") or _EMBEDDED_DERBY
    with suspend_logging():
        url = hadoop.get("javax.jdo.option.ConnectionURL")
    clients = [hadoop.get(key) for key in _CLIENTS]
    is_derby = (
        driver == _EMBEDDED_DERBY and (url or _DERBY).startswith(_DERBY) and not (url or "").startswith(_DERBY + "//")
    )
    is_local = is_derby and all(client in _OWN_CLIENTS for client in clients)
    return Metastore(database=url if driver != _EMBEDDED_DERBY else None, is_local=is_local)


def pipeline_name(main: Any, arguments: Sequence[str]) -> str | None:  # noqa: ANN401 the module that is run
    """Return the name of the pipeline that this process runs, from its specification; None if it runs none.

    Args:
        main: The module `__main__`: Spark's own command line, which finds and reads specifications.
        arguments: Those of the command line, without the program.

    Raises:
        Exception: The specification cannot be found or read, with what Spark says of it.
    """
    file = getattr(main, "__file__", None)
    if not isinstance(file, str) or Path(file).parts[-len(_COMMAND) :] != _COMMAND:
        return None
    import argparse  # few drivers need it

    options = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    options.add_argument("--spec")
    chosen = options.parse_known_args(list(arguments))[0].spec
    specification = Path(chosen) if chosen else main.find_pipeline_spec(Path.cwd())
    name = main.load_pipeline_spec(specification).name
    return name if isinstance(name, str) and name.strip() else None
