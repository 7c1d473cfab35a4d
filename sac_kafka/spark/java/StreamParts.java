package sackafka;

import java.util.Iterator;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;

/** Of a micro-batch what its plan shows only in parts: the directory behind its files, the topics behind its offsets. */
public class StreamParts {
  private static final int MAX_TOPICS = 1000;

  /** The topics of an offset of Spark's Kafka source, null of any other; Kafka's classes are not on our class path. */
  public static Object topics(Object offset, Specification specification) throws Throwable {
    if (!offset.getClass().getName().startsWith("org.apache.spark.sql.kafka010.")) return null;
    TreeSet topics = new TreeSet();
    Iterator it = Containers.elements(specification.step(offset, "partitionToOffsets"));
    while (it.hasNext() && topics.size() < MAX_TOPICS) topics.add(specification.step(((scala.Tuple2) it.next())._1(), "topic"));
    return topics;
  }

  /** The directory that a stream of files watches: the batch has only the files that are new. Null of a glob. */
  public static Object path(LogicalPlan leaf, Object relation, QueryExecution qe) {
    if (qe == null || !leaf.isStreaming() || !(relation instanceof HadoopFsRelation)) return null;
    String base = Steps.option(((HadoopFsRelation) relation).options(), "basePath");
    return base == null ? null : Locations.qualified(new Path(base), false, qe).toString();
  }
}
