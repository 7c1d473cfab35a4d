package sackafka;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.storage.RDDInfo;

/** The jobs of the last executions, what these have counted in the driver, and how they overwrite; read by the projecting thread. */
public class Jobs {
  private static final int MAX_EXECUTIONS = 1000;
  private static final int MAX_JOBS = 100; // of one execution

  final DriverCounts counts = new DriverCounts();
  final OverwriteModes modes = new OverwriteModes();
  private final Map byExecution = bounded();
  private final Map newestRdds = bounded(); // by executions, as byExecution

  private static Map bounded() {
    return new LinkedHashMap() {
      protected boolean removeEldestEntry(Map.Entry eldest) {
        return size() > MAX_EXECUTIONS;
      }
    };
  }

  /** A job has started. */
  public void started(SparkListenerJobStart e) {
    Properties p = e.properties();
    String execution = p == null ? null : p.getProperty("spark.sql.execution.id");
    if (execution == null) return;
    Integer rdd = resultOf(e);
    synchronized (byExecution) {
      Integer before = (Integer) newestRdds.get(execution);
      if (rdd != null && (before == null || before.intValue() < rdd.intValue())) newestRdds.put(execution, rdd);
      List jobs = (List) byExecution.get(execution);
      if (jobs == null) byExecution.put(execution, jobs = new ArrayList());
      if (jobs.size() < MAX_JOBS) jobs.add(Integer.valueOf(e.jobId()));
    }
  }

  /** The jobs of an execution: the first ones. */
  public List of(long execution) {
    synchronized (byExecution) {
      List jobs = (List) byExecution.get(Long.toString(execution));
      return jobs == null ? new ArrayList() : new ArrayList(jobs);
    }
  }

  /**
   * The newest RDD, by its id, whose partitions a job of an execution has computed; null where none did. A job may also compute
   * older ones, which were marked for a checkpoint before.
   */
  public Integer newestRdd(long execution) {
    synchronized (byExecution) {
      return (Integer) newestRdds.get(Long.toString(execution));
    }
  }

  /** The RDD of the last stage of a job; null of a job that only writes the files of a shuffle. */
  private static Integer resultOf(SparkListenerJobStart e) {
    StageInfo last = null;
    Iterator stages = Containers.elements(e.stageInfos());
    while (stages.hasNext()) {
      StageInfo stage = (StageInfo) stages.next();
      if (last == null || stage.stageId() > last.stageId()) last = stage;
    }
    if (last == null || isOfShuffle(last)) return null;
    Iterator rdds = Containers.elements(last.rddInfos()); // the stage's own is the first
    return rdds.hasNext() ? Integer.valueOf(((RDDInfo) rdds.next()).id()) : null;
  }

  private static boolean isOfShuffle(StageInfo stage) {
    try {
      return Containers.unwrap(stage.getClass().getMethod("shuffleDepId").invoke(stage)) != null;
    } catch (Exception closed) { // unknown: the caller gets an RDD that no plan reads
      return false;
    }
  }
}
