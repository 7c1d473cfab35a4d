package sackafka;

import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** Tells micro-batches what an event is to them. */
public class BatchEvents {
  private static final String BATCH = ".IncrementalExecution";
  private static final String RDD_OF_QUERY = "rdd of a query";
  private static final int LONGEST_DESCRIPTION = 1000;

  private final Specification specification;
  private final MicroBatches batches;

  public BatchEvents(Specification specification, MicroBatches batches) {
    this.specification = specification;
    this.batches = batches;
  }

  /** Spark's figures of a repeated batch, reported together with it; null for any other event. */
  public RepeatedBatches figures(Object e, Masking masking) {
    if (!(e instanceof StreamingQueryListener.QueryProgressEvent)) return null;
    StreamingQueryProgress progress = ((StreamingQueryListener.QueryProgressEvent) e).progress();
    String runId = progress.runId().toString();
    if (!batches.isQuiet(runId)) return null;
    RepeatedBatches figures = new RepeatedBatches(runId);
    SourceProgress[] sources = progress.sources();
    for (int i = 0; i < sources.length; i++) {
      String description = sources[i].description();
      if (description == null || description.length() > LONGEST_DESCRIPTION) return null;
      figures.read(masking.text(description), sources[i].numInputRows());
    }
    if (progress.sink() != null) figures.sank(progress.sink().numOutputRows());
    return figures;
  }

  /** Takes an event and its line, in order. */
  public void add(Object e, String line) throws Throwable {
    if (e instanceof SparkListenerSQLExecutionStart) started((SparkListenerSQLExecutionStart) e, line);
    else if (e instanceof SparkListenerSQLExecutionEnd) ended((SparkListenerSQLExecutionEnd) e, line);
    else if (e instanceof StreamingQueryListener.QueryProgressEvent) batches.say(line, false);
    else {
      if (isGoing(e)) batches.forget();
      if (e instanceof DriverNote && ((DriverNote) e).kind().equals(RDD_OF_QUERY)) batches.reportedRdd(((DriverNote) e).text());
      batches.other(line);
    }
  }

  private void started(SparkListenerSQLExecutionStart e, String line) {
    StreamOf stream = e.description() == null ? null : StreamOf.of(e.description());
    Object root = Containers.unwrap(e.rootExecutionId());
    long of = root == null ? e.executionId() : ((Number) root).longValue();
    batches.started(e.executionId(), of, stream == null ? null : stream.runId(), line);
  }

  private void ended(SparkListenerSQLExecutionEnd e, String line) throws Throwable {
    QueryExecution qe = e.qe();
    boolean hasFailed = e.executionFailure().isDefined();
    long batch = qe != null && specification.shape(qe.getClass()).name.endsWith(BATCH) ? batchOf(qe) : -1;
    if (qe != null && !hasFailed && !batches.isWithin(e.executionId())) {
      if (isGoing(qe.analyzed())) batches.forget();
      Integer rdd = Steps.rddId(e);
      if (rdd != null) batches.reportedRdd(rdd.toString());
    }
    batches.ended(e.executionId(), line, hasFailed, batch, e.time());
  }

  private long batchOf(QueryExecution qe) throws Throwable {
    return ((Number) specification.step(qe, "currentBatchId")).longValue();
  }

  /** Whether an event, or a command, drops or renames something. */
  private static boolean isGoing(Object o) {
    String name = o.getClass().getName();
    String simple = name.substring(name.lastIndexOf('.') + 1);
    return simple.startsWith("Drop") || simple.startsWith("Rename");
  }
}
