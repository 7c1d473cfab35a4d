"""What servers that run in a driver say of who asked for what."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.declaration import accessor, spark_class

EXECUTION, ROOT_EXECUTION = "spark.sql.execution.id", "spark.sql.execution.root.id"
JOB_GROUP = "spark.jobGroup.id"
KYUUBI_USER = "kyuubi.session.user"


@spark_class("org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServerOperationStart")
class SparkListenerThriftServerOperationStart:
    """The Thrift server begins a statement of a user; what runs for it is of the job group `group_id`."""

    id: str
    session_id: str
    group_id: str
    user_name: str | None


@spark_class("org.apache.spark.scheduler.SparkListenerJobStart")
class SparkListenerJobStart:
    """The first job of an execution, where its properties say who asked and its start did not (see `spark/java/Requests`)."""

    properties: Mapping[str, str] = accessor("properties", keys=(EXECUTION, ROOT_EXECUTION, JOB_GROUP, KYUUBI_USER))


ServerEvent = SparkListenerThriftServerOperationStart | SparkListenerJobStart
