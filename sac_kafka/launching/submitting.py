"""The options of spark-submit that `sac-kafka run` takes: PySpark starts the driver's JVM with them."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator, MutableMapping
from pathlib import Path

VARIABLE = "PYSPARK_SUBMIT_ARGS"
_SHELL = "pyspark-shell"
OPTIONS = {
    "--master": ("URL", "local[4], yarn, spark://HOST:PORT, k8s://…"),
    "--deploy-mode": ("MODE", "client: the driver is this process"),
    "--name": ("NAME", "name of the application"),
    "--conf": ("KEY=VALUE", "a setting of Spark, also spark.atlas.…; may be repeated"),
    "--properties-file": ("FILE", "settings of Spark, in place of conf/spark-defaults.conf"),
    "--jars": ("JARS", "jars for driver and executors, separated by commas"),
    "--packages": ("COORDINATES", "the same, from Maven repositories"),
    "--exclude-packages": ("COORDINATES", "what --packages is to leave out"),
    "--repositories": ("URLS", "where --packages looks"),
    "--py-files": ("FILES", ".py, .zip and .egg files for the job's imports"),
    "--files": ("FILES", "files for every executor's working directory"),
    "--archives": ("ARCHIVES", "archives that are unpacked there"),
    "--driver-memory": ("MEMORY", "1g by default"),
    "--driver-java-options": ("OPTIONS", "options of the driver's JVM"),
    "--driver-class-path": ("PATH", "more on the driver's class path"),
    "--driver-library-path": ("PATH", "more on its library path"),
    "--executor-memory": ("MEMORY", "1g by default"),
    "--executor-cores": ("NUMBER", "cores of each executor"),
    "--total-executor-cores": ("NUMBER", "cores of all executors (standalone)"),
    "--num-executors": ("NUMBER", "how many executors"),
    "--queue": ("NAME", "queue of YARN"),
    "--proxy-user": ("NAME", "whom to run as"),
    "--principal": ("NAME", "of Kerberos"),
    "--keytab": ("FILE", "of that principal"),
}
"""Each with what it is given, and what for."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add them as a group of their own."""
    group = parser.add_argument_group("as of spark-submit")
    for option, (metavar, text) in OPTIONS.items():
        group.add_argument(
            option, metavar=metavar, help=text, action="append", default=[], type=_KINDS.get(option, str)
        )


def _setting(text: str) -> str:
    if not text.partition("=")[1] or not text.partition("=")[0].strip():
        raise argparse.ArgumentTypeError("must be KEY=VALUE")
    return text


def _mode(text: str) -> str:
    if text != "client":
        raise argparse.ArgumentTypeError(
            "the driver is this process; on the cluster: spark-submit --deploy-mode cluster … $(sac-kafka runner) APP"
        )
    return text


_KINDS = {"--conf": _setting, "--deploy-mode": _mode}


def arguments_of(parsed: argparse.Namespace, name: str) -> Iterator[str]:
    """Give what spark-submit is given; `name` is the application's where none was chosen."""
    if not parsed.name:
        yield from ("--name", name)
    for option in OPTIONS:
        for value in getattr(parsed, option[2:].replace("-", "_")):
            yield from (option, value)


def submit(parsed: argparse.Namespace, name: str, environment: MutableMapping[str, str] = os.environ) -> None:
    """Have PySpark start the JVM with them, after what the variable says already: the last value of an option counts."""
    words = shlex.split(environment.get(VARIABLE, ""))
    before = words[:-1] if words[-1:] == [_SHELL] else words
    is_named = any(word in ("--name", "-n") or word.startswith("--name=") for word in before) and not parsed.name
    own = list(arguments_of(parsed, name))
    environment[VARIABLE] = shlex.join([*before, *(own[2:] if is_named else own), _SHELL])


def import_path(parsed: argparse.Namespace) -> list[str]:
    """Give the folders and archives that the job imports from for `--py-files`."""
    files = [file.strip() for files in parsed.py_files for file in files.split(",") if file.strip()]
    return [str(Path(file).parent.resolve()) if file.endswith(".py") else file for file in files]


def find_pyspark(environment: MutableMapping[str, str] = os.environ) -> bool:
    """See that `pyspark` can be imported: from this Python, else from the Spark that SPARK_HOME names."""
    from importlib.util import find_spec

    if find_spec("pyspark") is not None:
        return True
    python = Path(environment.get("SPARK_HOME", ""), "python")
    if environment.get("SPARK_HOME") and (python / "pyspark").is_dir():
        sys.path += [str(python), *map(str, sorted((python / "lib").glob("py4j-*.zip")))]
    return find_spec("pyspark") is not None
