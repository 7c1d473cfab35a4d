"""Write the files that a Databricks cluster needs, or that try it out: the init script, a sample notebook, asset bundles.

Sources: docs.databricks.com, Init scripts; External Apache Hive metastore (`/databricks/driver/conf/*.conf`); Databricks Asset
Bundle configuration (settings), and Add tasks to jobs in Databricks Asset Bundles, whose resources are those of the Jobs API. Not
documented by Databricks, but done by the init scripts of other listeners, such as OpenLineage's: jars in `/databricks/jars`, and
DBCEventLoggingListener among `spark.extraListeners`, without which the Spark UI of ended clusters is empty.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping

from sac_kafka.tools.cli.databricks_api import Json
from sac_kafka.tools.cli.jar import LISTENER

_INIT_SCRIPT = """\
#!/bin/bash
# Installs sac_kafka into the Python of the driver. Errors are logged here and do not prevent the cluster from starting.
set -u
wheel={wheel}
folder={folder}
bin=/databricks/python/bin
jars=/databricks/jars
conf=/databricks/driver/conf/00-sac-kafka.conf

say() {{ echo "sac_kafka: $*" >&2; }}

if [[ "${{DB_IS_DRIVER:-TRUE}}" != "TRUE" ]]; then
  exit 0
fi
if [[ ! -f "$wheel" ]]; then
  say "not installed: $wheel not found; upload it, and let the cluster's user read it"
  exit 0
fi
# Dependencies (confluent-kafka, fastavro; tomli on Python 3.10) are installed from
# wheels in the same folder if present, else from the package index.
if timeout 300 "$bin/python" -m pip install --quiet --disable-pip-version-check --no-input --find-links "$folder" "$wheel"; then
  say "installed $wheel"
else
  say "not installed: pip failed with status $?; without a package index, upload wheels of the dependencies to $folder:" \\
    "confluent-kafka, fastavro, and tomli on Python 3.10"
fi
if [[ "${{SAC_KAFKA_JAR:-}}" == "1" ]]; then
  # The setting is written only with the jar in place, because no driver starts without a class that is set. It replaces
  # Databricks' own listener, which keeps the Spark UI of ended clusters, so that one is named, too.
  if "$bin/sac-kafka" jar --copy "$jars" >/dev/null; then
    listeners={listener}
    if grep -qs com/databricks/backend/daemon/driver/DBCEventLoggingListener "$jars"/*.jar; then
      listeners="com.databricks.backend.daemon.driver.DBCEventLoggingListener,$listeners"
    fi
    # PySpark and Py4J are in /databricks/spark, not among this Python's packages.
    printf '#!/bin/bash\\nexport SPARK_HOME=/databricks/spark\\nexec %s "$@"\\n' "$bin/python" >"$bin/sac-kafka-python"
    chmod 755 "$bin/sac-kafka-python"
    printf '[driver] {{\\n  "spark.extraListeners" = "%s"\\n  "spark.atlas.hook.spark.python" = "%s"\\n}}\\n' \\
      "$listeners" "$bin/sac-kafka-python" >"$conf" && say "the driver loads $listeners"
  else
    say "no lineage of tasks without Python: the jar could not be copied to $jars"
  fi
elif [[ "${{SAC_KAFKA_AUTO:-}}" != "1" ]]; then
  say "SAC_KAFKA_AUTO=1 is not set in the cluster's environment variables: call sac_kafka.attach(spark) in the code"
fi
if [[ -n "${{ATLAS_CONF:-}}" && ! -e "$ATLAS_CONF" ]]; then
  say "ATLAS_CONF: $ATLAS_CONF not found; upload atlas-application.properties"
fi
exit 0
"""

NOTEBOOK = """\
# Databricks notebook source
# MAGIC %md
# MAGIC Shows whether this compute has lineage: each cell reads the table of the one before it. The tables are dropped at the end.

# COMMAND ----------

import sac_kafka

hook = sac_kafka.attach(spark)  # the existing hook if the cluster attaches it
print(hook)  # a disabled hook shows the reason

# COMMAND ----------

frame = spark.range(10).selectExpr("id", "id * 2 AS doubled")
frame.write.mode("overwrite").saveAsTable("sac_kafka_python")

# COMMAND ----------

# MAGIC %sql
# MAGIC CREATE OR REPLACE TABLE sac_kafka_sql AS SELECT id, doubled + 1 AS more FROM sac_kafka_python

# COMMAND ----------

# MAGIC %scala
# MAGIC spark.table("sac_kafka_sql").selectExpr("id", "more * 2 AS most").write.mode("overwrite").saveAsTable("sac_kafka_scala")

# COMMAND ----------

print(hook.flush())  # how many messages were delivered, and what prevents others
print(hook.stats())

# COMMAND ----------

for each in ("sac_kafka_scala", "sac_kafka_sql", "sac_kafka_python"):
    spark.sql(f"DROP TABLE IF EXISTS {each}")
"""
"""A notebook in Databricks' source format, for `databricks workspace import --format SOURCE --language PYTHON`."""
_CLUSTER = "lineage"
_TASKS: Mapping[str, Json] = {
    "notebook": {"notebook_task": {"notebook_path": "./src/load.ipynb"}},
    "python": {"spark_python_task": {"python_file": "./src/load.py", "parameters": ["2026-11-26"]}},
    "jar": {
        "spark_jar_task": {"main_class_name": "com.example.Main"},
        "libraries": [{"jar": "/Volumes/main/default/libs/app.jar"}],
    },
    "wheel": {
        "python_wheel_task": {"package_name": "etl", "entry_point": "main"},
        "libraries": [{"whl": "./dist/*.whl"}],
    },
    "sql": {"notebook_task": {"notebook_path": "./src/report.sql"}},
}
"""A task of each kind that has lineage. `sql` is a notebook, because a `sql_task` runs on a SQL warehouse, which has no hook."""
_REMARK = """\
# databricks.yml: one task of each kind on a cluster with the hook. Replace names and paths, and remove what you do not need.
# A sql_task, dbt_task or pipeline_task, and a task without a cluster, which is serverless, have no lineage.
"""
_PLAIN = re.compile(r"[A-Za-z_]+")
_NO_TEXT = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})


def init_script(wheel: str) -> str:
    """Return the script that installs the wheel into the driver's Python and never fails the cluster's start."""
    return _INIT_SCRIPT.format(
        wheel=shlex.quote(wheel), folder=shlex.quote(posixpath.dirname(wheel)), listener=LISTENER
    )


def whole_bundle(name: str, new_cluster: Json) -> str:
    """Return a `databricks.yml` with a job of one task of each kind on one cluster."""
    job = {
        "name": name,
        "job_clusters": [{"job_cluster_key": _CLUSTER, "new_cluster": new_cluster}],
        "tasks": [{"task_key": key, "job_cluster_key": _CLUSTER, **task} for key, task in _TASKS.items()],
    }
    settings = {
        "bundle": {"name": _key_of(name)},
        "resources": {"jobs": {_key_of(name): job}},
        "targets": {"dev": {"mode": "development", "default": True}},
    }
    return _REMARK + _text(settings)


def bundle_of(job: Json) -> str:
    """Return a job as a resource, for a file that a `databricks.yml` includes."""
    return _text({"resources": {"jobs": {_key_of(str(job["name"])): job}}})


def _key_of(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "job"


# ---- YAML


def _text(value: Json) -> str:
    return "\n".join(_yaml(value)) + "\n"


def _yaml(value: object, indent: str = "") -> Iterator[str]:
    """Yield the YAML lines of a value; strings are quoted, as are keys that YAML would read as another type."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if isinstance(each, Mapping | list) and each:
                yield f"{indent}{_key(key)}:"
                yield from _yaml(each, indent + "  ")
            else:
                yield f"{indent}{_key(key)}: {_scalar(each)}"
    elif isinstance(value, list):
        for each in value:
            first, *more = _yaml(each, "  ") if isinstance(each, Mapping) else (f"  {_scalar(each)}",)
            yield f"{indent}- {first[2:]}"
            yield from (indent + line for line in more)


def _key(key: str) -> str:
    return key if _PLAIN.fullmatch(key) and key.lower() not in _NO_TEXT else _scalar(key)


def _scalar(value: object) -> str:
    """Return a value as JSON, which is valid YAML except for surrogate pairs."""
    if not isinstance(value, str):
        return json.dumps(value)
    escaped = (json.dumps(each)[1:-1] if ord(each) < 0x10000 else rf"\U{ord(each):08x}" for each in value)
    return f'"{"".join(escaped)}"'
