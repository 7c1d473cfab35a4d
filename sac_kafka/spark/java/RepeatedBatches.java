package sackafka;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Micro-batches of a run with the same content as an earlier one, and Spark's figures of them: what arrived since the last poll
 * is combined, and only this is reported.
 */
public class RepeatedBatches {
  private static final int MAX_EXECUTIONS = 1000;
  private static final int MAX_TEXTS = 100;

  private final String runId;
  private final List executions = new ArrayList(); // of Long
  private final Map sources = new LinkedHashMap(); // description -> SourceRows
  private final Map notes = new TreeMap(); // what did not travel, in quotes -> Integer
  private long micros = 0; // of projecting
  private int batches = 0;
  private long batchId = -1;
  private long time = -1;
  private final Map writes = new LinkedHashMap(); // the root execution of the earlier batch -> RepeatedWrites
  private long sinkRows = -1;

  public RepeatedBatches(String runId) {
    this.runId = runId;
  }

  /** A batch that is over, the root execution of the one that it repeats, and when it ended. */
  void took(OpenBatch batch, long like, long id, long ended) {
    executions.addAll(batch.executions);
    for (int i = 0; i < batch.read.size(); i++) add(((PlanDigest) batch.read.get(i)).notes());
    micros += batch.micros;
    batches++;
    batchId = id;
    time = ended;
    like(like).add(batch.counters);
  }

  /** Rows of a source; the description is masked. */
  void read(String description, long rows) {
    SourceRows of = (SourceRows) sources.get(description);
    if (of == null) sources.put(description, of = new SourceRows(description));
    of.add(rows);
  }

  /** Rows that the sink has counted; less than 0 where it did not. */
  void sank(long rows) {
    if (rows >= 0) sinkRows = Math.max(0, sinkRows) + rows;
  }

  void projectedIn(long more) {
    micros += more;
  }

  /** What came after this, of the same run. */
  void add(RepeatedBatches later) {
    executions.addAll(later.executions);
    add(later.notes);
    micros += later.micros;
    batches += later.batches;
    if (later.batches > 0) {
      batchId = later.batchId;
      time = later.time;
    }
    Iterator written = later.writes.values().iterator();
    while (written.hasNext()) {
      RepeatedWrites each = (RepeatedWrites) written.next();
      like(each.execution()).add(each);
    }
    sank(later.sinkRows);
    Iterator all = later.sources.values().iterator();
    while (all.hasNext()) {
      SourceRows each = (SourceRows) all.next();
      read(each.description(), each.numInputRows());
    }
  }

  private RepeatedWrites like(long execution) {
    RepeatedWrites all = (RepeatedWrites) writes.get(Long.valueOf(execution));
    if (all == null) writes.put(Long.valueOf(execution), all = new RepeatedWrites(execution));
    return all;
  }

  private void add(Map more) {
    Iterator all = more.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry note = (Map.Entry) all.next();
      Integer known = (Integer) notes.get(note.getKey());
      int n = ((Integer) note.getValue()).intValue();
      notes.put(note.getKey(), Integer.valueOf(known == null ? n : known.intValue() + n));
    }
  }

  /** Whether it must be emitted before more is added. */
  boolean isFull() {
    return executions.size() >= MAX_EXECUTIONS || sources.size() >= MAX_TEXTS || notes.size() >= MAX_TEXTS || writes.size() >= MAX_TEXTS;
  }

  /** What projecting has taken. */
  long micros() {
    return micros;
  }

  /** The records of what did not travel, each behind a comma. */
  String notes() {
    StringBuilder records = new StringBuilder();
    Iterator all = notes.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry note = (Map.Entry) all.next();
      records.append(",[\"n\",").append(note.getKey()).append(',').append(note.getValue()).append(']');
    }
    return records.toString();
  }

  public List executions() {
    return executions;
  }

  public String runId() {
    return runId;
  }

  /** How many; none where there are figures only. */
  public int batches() {
    return batches;
  }

  /** Of the last one, -1 without one. */
  public long batchId() {
    return batchId;
  }

  /** When the last one ended, in epoch milliseconds; -1 without one. */
  public long time() {
    return time;
  }

  /** What they have counted, by the batch that they repeat. */
  public List writes() {
    return new ArrayList(writes.values());
  }

  public List sources() {
    return new ArrayList(sources.values());
  }

  /** What the sink has counted, -1 where it did not. */
  public long sinkRows() {
    return sinkRows;
  }
}
