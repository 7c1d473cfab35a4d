package sackafka;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.util.CallSite;

/**
 * Which jobs write RDDs with an output format of Hadoop's: microseconds a job. What a job works on is in no event; the scheduler
 * knows it as long as the job runs. Its classes are internal to Spark and are accessed by reflection. One thread's.
 */
public class RddJobs {
  private static final String EXECUTION = "spark.sql.execution.id";
  private static final String WRITES = "org.apache.spark.internal.io.SparkHadoopWriter$";
  private static final int MAX_OPEN = 1000;

  private final SparkContext context;
  private final Specification specification;
  private final boolean on;
  private final Set open =
      Collections.newSetFromMap(
          new LinkedHashMap() {
            protected boolean removeEldestEntry(Map.Entry eldest) {
              return size() > MAX_OPEN;
            }
          });
  private int others = 0;
  private int missed = 0;

  public RddJobs(SparkContext context, Specification specification) {
    this.context = context;
    this.specification = specification;
    this.on = specification.wants(RddJobStart.class);
  }

  /** The facts of a starting job to hand over; null if it does not write. */
  public RddJobStart started(SparkListenerJobStart e) {
    if (!on) return null;
    boolean ofQuery = e.properties() != null && e.properties().getProperty(EXECUTION) != null;
    try {
      Object jobs = specification.step(specification.step(context, "dagScheduler"), "jobIdToActiveJob");
      Object job = Containers.unwrap(((scala.collection.Map) jobs).get(Integer.valueOf(e.jobId())));
      if (job == null) {
        if (!ofQuery) missed++;
        return null;
      }
      Object stage = specification.step(job, "finalStage");
      Object work = stage.getClass().getName().endsWith(".ResultStage") ? specification.step(stage, "func") : null;
      if (work == null || !work.getClass().getName().startsWith(WRITES)) {
        if (!ofQuery) others++;
        return null;
      }
      RDD rdd = (RDD) specification.step(stage, "rdd");
      String calledFrom = ((CallSite) specification.step(job, "callSite")).longForm();
      RddJobStart start = new RddJobStart(specification, e, rdd, work, calledFrom, others, missed);
      others = 0;
      missed = 0;
      open.add(Integer.valueOf(e.jobId()));
      return start;
    } catch (Throwable t) { // the scheduler's own thread changes what is read here
      missed++;
      return null;
    }
  }

  /** Whether a job that ends is one of those that were handed over. */
  public boolean ended(SparkListenerJobEnd e) {
    return open.remove(Integer.valueOf(e.jobId()));
  }
}
