package sackafka;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListenerJobStart;

/**
 * Finds the jobs whose properties identify who runs an execution, where its start does not: the thread of a server has set a job group,
 * which Spark 3.5 reports only for jobs, or a property of the server's own; a platform has set those of a notebook or task. Of each
 * execution, and of each streaming query, the first job suffices. The group of a streaming query's jobs is its own. One thread's.
 */
public class Requests {
  private static final int MAX_EXECUTIONS = 1000;

  private final boolean groups;
  private final List keys; // of platforms
  private final Set reported =
      Collections.newSetFromMap(
          new LinkedHashMap() {
            protected boolean removeEldestEntry(Map.Entry eldest) {
              return size() > MAX_EXECUTIONS;
            }
          });

  public Requests(String sparkVersion, List keys) {
    this.groups = sparkVersion.startsWith("3.");
    this.keys = keys;
  }

  public boolean isNew(SparkListenerJobStart e) {
    Properties p = e.properties();
    if (p == null || p.getProperty("spark.sql.execution.id") == null) return false;
    String stream = p.getProperty("sql.streaming.queryId");
    boolean isGroup = groups && p.getProperty("spark.jobGroup.id") != null && stream == null;
    boolean says = isGroup || p.getProperty("kyuubi.session.user") != null || isOfPlatform(p);
    return says && reported.add(stream == null ? p.getProperty("spark.sql.execution.id") : stream);
  }

  /** The properties of the calling thread that identify a notebook or task, as JSON. */
  public String identity(SparkContext context) {
    StringBuilder out = new StringBuilder("{");
    for (int i = -1; i < keys.size(); i++) {
      String key = i < 0 ? "spark.jobGroup.id" : (String) keys.get(i);
      String value = context.getLocalProperty(key);
      if (value == null) continue;
      if (out.length() > 1) out.append(',');
      Records.quote(key, out);
      out.append(':');
      Records.quote(value, out);
    }
    return out.append('}').toString();
  }

  private boolean isOfPlatform(Properties p) {
    for (int i = 0; i < keys.size(); i++) if (p.getProperty((String) keys.get(i)) != null) return true;
    return false;
  }
}
