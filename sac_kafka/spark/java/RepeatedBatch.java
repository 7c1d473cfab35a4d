package sackafka;

import java.util.List;

/** A micro-batch that says what an earlier one of its run said: this is all that is told of its executions. */
public class RepeatedBatch {
  private final OpenBatch batch;
  private final long batchId;
  private final long time;

  RepeatedBatch(OpenBatch batch, long batchId, long time) {
    this.batch = batch;
    this.batchId = batchId;
    this.time = time;
  }

  /** What projecting its executions has taken. */
  long micros() {
    return batch.micros;
  }

  /** The records of what did not travel of them, each behind a comma. */
  String notes() {
    return batch.notes();
  }

  public List executions() {
    return batch.executions;
  }

  public String runId() {
    return batch.runId;
  }

  public long batchId() {
    return batchId;
  }

  /** When it ended, in epoch milliseconds. */
  public long time() {
    return time;
  }

  /** What the executions within it have counted, -1 where one did not. */
  public List rowsWritten() {
    return batch.rowsWritten;
  }
}
