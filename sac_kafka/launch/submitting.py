"""Define the spark-submit options of `sac-kafka run`, with which PySpark starts the driver's JVM."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from importlib.util import find_spec
from pathlib import Path

VARIABLE = "PYSPARK_SUBMIT_ARGS"
_SHELL = "pyspark-shell"
OPTIONS = {
    "--master": ("URL", "local[4], yarn, spark://HOST:PORT, k8s://…"),
    "--deploy-mode": ("MODE", "client: the driver is this process"),
    "--name": ("NAME", "name of the application"),
    "--conf": ("KEY=VALUE", "a setting of Spark, also spark.atlas.…; may be repeated"),
    "--properties-file": ("FILE", "settings of Spark, instead of conf/spark-defaults.conf"),
    "--jars": ("JARS", "jars for driver and executors, separated by commas"),
    "--packages": ("COORDINATES", "Maven coordinates of jars for driver and executors"),
    "--exclude-packages": ("COORDINATES", "dependencies of --packages to exclude"),
    "--repositories": ("URLS", "additional Maven repositories for --packages"),
    "--py-files": ("FILES", ".py, .zip and .egg files for the job's imports"),
    "--files": ("FILES", "files for every executor's working directory"),
    "--archives": ("ARCHIVES", "archives to unpack into every executor's working directory"),
    "--driver-memory": ("MEMORY", "1g by default"),
    "--driver-java-options": ("OPTIONS", "options of the driver's JVM"),
    "--driver-class-path": ("PATH", "additional entries of the driver's class path"),
    "--driver-library-path": ("PATH", "additional entries of the driver's library path"),
    "--executor-memory": ("MEMORY", "1g by default"),
    "--executor-cores": ("NUMBER", "cores of each executor"),
    "--total-executor-cores": ("NUMBER", "cores of all executors (standalone)"),
    "--num-executors": ("NUMBER", "number of executors"),
    "--queue": ("NAME", "YARN queue"),
    "--proxy-user": ("NAME", "user to impersonate"),
    "--principal": ("NAME", "Kerberos principal"),
    "--keytab": ("FILE", "keytab of that principal"),
}
"""Option to metavar and help text."""


def _setting(text: str) -> str:
    if not text.partition("=")[1] or not text.partition("=")[0].strip():
        raise argparse.ArgumentTypeError("must be KEY=VALUE")
    return text


def _mode(text: str) -> str:
    if text != "client":
        raise argparse.ArgumentTypeError(
            "must be client, because the driver is this process; on a cluster run: "
            "spark-submit --deploy-mode cluster … $(sac-kafka runner) APP"
        )
    return text


_KINDS = {"--conf": _setting, "--deploy-mode": _mode}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options as a group."""
    group = parser.add_argument_group("options of spark-submit")
    for option, (metavar, text) in OPTIONS.items():
        group.add_argument(
            option, metavar=metavar, help=text, action="append", default=[], type=_KINDS.get(option, str)
        )


def arguments_of(parsed: argparse.Namespace, name: str) -> Iterator[str]:
    """Yield the arguments for spark-submit; `name` is the default application name."""
    if not parsed.name:
        yield from ("--name", name)
    for option in OPTIONS:
        for value in getattr(parsed, option[2:].replace("-", "_")):
            yield from (option, value)


def submit(parsed: argparse.Namespace, name: str, environment: MutableMapping[str, str] = os.environ) -> None:
    """Append the options to PYSPARK_SUBMIT_ARGS, which PySpark passes to the JVM; the last value of an option wins."""
    words = shlex.split(environment.get(VARIABLE, ""))
    before = words[:-1] if words[-1:] == [_SHELL] else words
    is_named = any(word in ("--name", "-n") or word.startswith("--name=") for word in before) and not parsed.name
    own = list(arguments_of(parsed, name))
    environment[VARIABLE] = shlex.join([*before, *(own[2:] if is_named else own), _SHELL])


def import_path(parsed: argparse.Namespace) -> list[str]:
    """Return the import path entries for `--py-files`: folders of .py files, and archives."""
    files = [file.strip() for files in parsed.py_files for file in files.split(",") if file.strip()]
    return [str(Path(file).parent.resolve()) if file.endswith(".py") else file for file in files]


def find_pyspark(environment: Mapping[str, str] = os.environ) -> bool:
    """Make `pyspark` and `py4j` importable, from this Python or from SPARK_HOME, and return whether they are."""
    python = Path(environment.get("SPARK_HOME", ""), "python")
    if environment.get("SPARK_HOME"):
        if find_spec("pyspark") is None:  # Spark as pip installs it has only the archive
            is_unpacked = (python / "pyspark" / "__init__.py").is_file()
            sys.path.append(str(python if is_unpacked else python / "lib" / "pyspark.zip"))
        if find_spec("py4j") is None:
            sys.path += map(str, sorted((python / "lib").glob("py4j-*.zip")))
    return None not in (find_spec("pyspark"), find_spec("py4j"))
