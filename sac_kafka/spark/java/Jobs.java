package sackafka;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.spark.scheduler.SparkListenerJobStart;

/** The jobs of the last executions: the bus thread writes them down, the projecting thread asks for them. */
public class Jobs {
  private static final int MOST_EXECUTIONS = 1000;
  private static final int MOST_JOBS = 100; // of one execution

  private final Map byExecution =
      new LinkedHashMap() {
        protected boolean removeEldestEntry(Map.Entry eldest) {
          return size() > MOST_EXECUTIONS;
        }
      };

  /** A job has started. */
  public void started(SparkListenerJobStart e) {
    Properties p = e.properties();
    String execution = p == null ? null : p.getProperty("spark.sql.execution.id");
    if (execution == null) return;
    synchronized (byExecution) {
      List jobs = (List) byExecution.get(execution);
      if (jobs == null) byExecution.put(execution, jobs = new ArrayList());
      if (jobs.size() < MOST_JOBS) jobs.add(Integer.valueOf(e.jobId()));
    }
  }

  /** The jobs of an execution: the first ones. */
  public List of(long execution) {
    synchronized (byExecution) {
      List jobs = (List) byExecution.get(Long.toString(execution));
      return jobs == null ? new ArrayList() : new ArrayList(jobs);
    }
  }
}
