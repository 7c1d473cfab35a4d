"""Write the files that a Databricks cluster needs, or that try it out: the init script, and a sample notebook.

Sources: docs.databricks.com, Init scripts, and External Apache Hive metastore (`/databricks/driver/conf/*.conf`). Not documented
by Databricks, but done by the init scripts of other listeners, such as OpenLineage's: jars in `/databricks/jars`, and
DBCEventLoggingListener among `spark.extraListeners`, without which the Spark UI of ended clusters is empty.
"""

from __future__ import annotations

import posixpath
import shlex

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


def init_script(wheel: str) -> str:
    """Return the script that installs the wheel into the driver's Python and never fails the cluster's start."""
    return _INIT_SCRIPT.format(
        wheel=shlex.quote(wheel), folder=shlex.quote(posixpath.dirname(wheel)), listener=LISTENER
    )
