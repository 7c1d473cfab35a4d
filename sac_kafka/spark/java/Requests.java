package sackafka;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.spark.scheduler.SparkListenerJobStart;

/**
 * Finds the jobs that identify the requester of an execution whose start does not: the thread of a server has set a job group, which Spark
 * 3.5 reports only for jobs, or a property of the server's own. Of each execution the first job suffices. The group of a streaming
 * query's jobs is its own. One thread's.
 */
public class Requests {
  private static final int MAX_EXECUTIONS = 1000;

  private final boolean groups;
  private final Set reported =
      Collections.newSetFromMap(
          new LinkedHashMap() {
            protected boolean removeEldestEntry(Map.Entry eldest) {
              return size() > MAX_EXECUTIONS;
            }
          });

  public Requests(String sparkVersion) {
    this.groups = sparkVersion.startsWith("3.");
  }

  public boolean isNew(SparkListenerJobStart e) {
    Properties p = e.properties();
    if (p == null || p.getProperty("spark.sql.execution.id") == null) return false;
    boolean isGroup = groups && p.getProperty("spark.jobGroup.id") != null && p.getProperty("sql.streaming.queryId") == null;
    boolean says = isGroup || p.getProperty("kyuubi.session.user") != null;
    return says && reported.add(p.getProperty("spark.sql.execution.id"));
  }
}
