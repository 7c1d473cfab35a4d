"""Declare the relation of com.databricks:spark-xml, for Spark 3."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class


@spark_class("com.databricks.spark.xml.XmlRelation")
class XmlRelation:
    """XML files below a qualified path; None if the rows come from something else."""

    path: str | None = accessor("@path")
