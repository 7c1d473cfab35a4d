package sackafka;

import java.util.Properties;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.SparkListenerJobStart;

/**
 * A job of RDDs that writes has begun, with what it was begun with: the job itself may be over when this is looked at. Spark's own
 * event of it names neither what is read nor what is written.
 */
public class RddJobStart {
  private final int jobId;
  private final long time;
  private final RddRows rows;
  private final Object write; // Spark's function of the tasks
  private final String calledFrom;
  private final int others;
  private final int missed;
  private final Properties properties;

  public RddJobStart(
      Specification specification, SparkListenerJobStart job, RDD rdd, Object write, String calledFrom, int others, int missed) {
    this.jobId = job.jobId();
    this.time = job.time();
    this.properties = job.properties() == null ? new Properties() : job.properties();
    this.rows = RddRows.of(rdd, specification); // now: once the job is over a checkpoint has cut its dependencies
    this.write = write;
    this.calledFrom = calledFrom;
    this.others = others;
    this.missed = missed;
  }

  public Properties properties() {
    return properties;
  }

  public int jobId() {
    return jobId;
  }

  public long time() {
    return time;
  }

  public RddRows rows() {
    return rows;
  }

  public HadoopOutput written() throws IllegalAccessException {
    return HadoopOutput.of(write);
  }

  /** Whether Spark's ML writes a part of a model: that is no data set. */
  public boolean isOfModel() {
    return calledFrom.indexOf("org.apache.spark.ml") >= 0;
  }

  /** Jobs before this one that wrote nothing that is known, and those that were over when they were looked at. */
  public int others() {
    return others;
  }

  public int missed() {
    return missed;
  }
}
