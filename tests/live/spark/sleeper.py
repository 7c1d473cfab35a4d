"""A relation whose root paths never come back, or not until they are released, in the thread that projects.

Everywhere else it is the relation of a DataFrame that was read from files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HOLD = "sac.kafka.test.hold"
"""The system property that blocks the projecting thread while it is set."""

_HANDLER = """
package sackafkatest;

public class Sleeper implements java.lang.reflect.InvocationHandler {
  private final Object index;

  public Sleeper(Object index) {
    this.index = index;
  }

  public Object invoke(Object proxy, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("rootPaths") && Thread.currentThread().getName().startsWith("sac-kafka-projector")) {
      while (System.getProperty("HOLD") != null) Thread.sleep(20L);
    }
    return method.invoke(index, arguments);
  }
}
""".replace("HOLD", HOLD)


def compiled(spark: SparkSession, source: str, name: str) -> Any:
    """Return a class made of Java source by Spark's own compiler, below the loader of SparkContext."""
    gateway = spark.sparkContext._gateway
    loader = spark.sparkContext._jsc.sc().getClass().getClassLoader()
    none = gateway.new_array(gateway.jvm.java.lang.Class, 0)
    nothing = gateway.new_array(gateway.jvm.java.lang.Object, 0)
    compiler = loader.loadClass("org.codehaus.janino.SimpleCompiler").getConstructor(none).newInstance(nothing)
    compiler.setParentClassLoader(loader)
    compiler.cook(source)
    return compiler.getClassLoader().loadClass(name)


def instance(spark: SparkSession, java_class: Any, *arguments: object) -> Any:
    gateway = spark.sparkContext._gateway
    values = gateway.new_array(gateway.jvm.java.lang.Object, len(arguments))
    for i, argument in enumerate(arguments):
        values[i] = argument
    return java_class.getConstructors()[0].newInstance(values)


def hold(spark: SparkSession) -> None:
    spark.sparkContext._jvm.java.lang.System.setProperty(HOLD, "1")


def release(spark: SparkSession) -> None:
    spark.sparkContext._jvm.java.lang.System.clearProperty(HOLD)


def sleepy(spark: SparkSession, df: DataFrame) -> DataFrame:
    """Return the DataFrame `df`, which reads files, over a relation that blocks the thread that projects it."""
    gateway = spark.sparkContext._gateway
    jvm = gateway.jvm
    loader = spark.sparkContext._jsc.sc().getClass().getClassLoader()
    leaf = df._jdf.queryExecution().analyzed()
    relation = leaf.relation()
    handler = instance(spark, compiled(spark, _HANDLER, "sackafkatest.Sleeper"), relation.location())
    interfaces = gateway.new_array(jvm.java.lang.Class, 1)
    interfaces[0] = loader.loadClass("org.apache.spark.sql.execution.datasources.FileIndex")
    location = jvm.java.lang.reflect.Proxy.newProxyInstance(loader, interfaces, handler)
    slow = relation.copy(
        location,
        relation.partitionSchema(),
        relation.dataSchema(),
        relation.bucketSpec(),
        relation.fileFormat(),
        relation.options(),
        relation.sparkSession(),
    )
    parts = gateway.new_array(jvm.java.lang.Object, leaf.productArity())
    for i in range(leaf.productArity()):
        parts[i] = slow if i == 0 else leaf.productElement(i)
    return of_plan(spark, leaf.makeCopy(parts))


def of_plan(spark: SparkSession, plan: Any) -> DataFrame:
    """Return a DataFrame of a logical plan."""
    from pyspark.sql import DataFrame

    packages = spark.sparkContext._jvm.org.apache.spark.sql
    datasets = packages.Dataset if spark.version.startswith("3.") else packages.classic.Dataset
    return DataFrame(datasets.ofRows(spark._jsparkSession, plan), spark)
