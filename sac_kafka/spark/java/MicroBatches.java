package sackafka;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts the lines of events into the queue, in order. A query that runs for weeks has the same plans with each micro-batch: what
 * runs within a batch is held back as text until the batch is over. Then all of it is emitted, or, if an earlier batch of the
 * run had the same content, only this fact, combined with other batches of the run. One thread's at a time.
 */
public class MicroBatches {
  /** Batches that have begun and not ended, and batches that are known again; the oldest is forgotten first. */
  static final int MAX_OPEN = 1000;

  static final int MAX_KNOWN = 1000;
  /** Executions within one batch that are held back, and the text of all that are (twice: the text and its content for comparison). */
  static final int MAX_HELD = 64;

  static final int MAX_HELD_CHARS = 4000000;

  private final TextQueue texts;
  private final Counters counters;
  private final Map open = new LinkedHashMap(); // its root execution -> OpenBatch
  private final Map roots = new HashMap(); // execution of an open batch -> its root
  private final Map known = new LinkedHashMap(); // digest -> the root execution of the batch that was emitted
  private final Set reportedRdds = bounded();
  private final Set quiet = bounded(); // runs whose last batch was known
  private int held = 0; // characters
  private boolean isStartHeld = false;

  private static Set bounded() {
    return Collections.newSetFromMap(
        new LinkedHashMap() {
          protected boolean removeEldestEntry(Map.Entry eldest) {
            return size() > MAX_KNOWN;
          }
        });
  }

  public MicroBatches(TextQueue texts, Counters counters) {
    this.texts = texts;
    this.counters = counters;
  }

  /**
   * An execution begins, within the execution root or as one; runId is that of the query that it is a batch of, or null. What
   * runs within a batch may have another description: that is the thread's, and a function may set it.
   */
  public void started(long execution, long root, String runId, String line) {
    if (runId != null && execution == root) begin(execution, runId);
    OpenBatch batch = (OpenBatch) open.get(Long.valueOf(root));
    if (batch == null) {
      other(line, false); // its end is what is waited for
      return;
    }
    batch.executions.add(Long.valueOf(execution));
    roots.put(Long.valueOf(execution), Long.valueOf(root));
    hold(batch, batch.starts, line);
    isStartHeld = true;
    if (batch.isNew) emitAll(batch);
  }

  /**
   * An execution has ended, at a time; batchId counts the batches of a run, and is less than 0 for an execution that is
   * none.
   */
  public void ended(long execution, String line, boolean hasFailed, long batchId, long time) {
    Long root = (Long) roots.remove(Long.valueOf(execution));
    OpenBatch batch = root == null ? null : (OpenBatch) open.get(root);
    if (batch == null) {
      other(line);
      return;
    }
    hold(batch, batch.ends, line);
    batch.isNew = batch.isNew || hasFailed;
    if (!batch.isNew) read(batch, line);
    boolean isOver = execution == root.longValue();
    if (isOver) close(root);
    if (isOver && !batch.isNew && batchId >= 0) {
      String content = batch.digest();
      Long like = (Long) known.get(content);
      if (like != null) repeated(batch, like.longValue(), batchId, time);
      else if (emitAll(batch)) remember(content, root); // if the queue is full, the next batch is emitted in full
    } else if (isOver || batch.isNew) emitAll(batch);
  }

  private void repeated(OpenBatch batch, long like, long batchId, long time) {
    RepeatedBatches one = new RepeatedBatches(batch.runId);
    one.took(batch, like, batchId, time);
    quiet.add(batch.runId);
    say(one);
  }

  /** Whether the last batch of a run was known: its figures are no news either. */
  public boolean isQuiet(String runId) {
    return quiet.contains(runId);
  }

  /** Emits figures that belong to the last reported batch of the run; wakes no reader. */
  public void say(RepeatedBatches more) {
    if (!texts.offer(more)) counters.countFull();
  }

  /** Anything else has happened: it comes after the start of what has begun before it. */
  public void other(String line) {
    other(line, true);
  }

  private void other(String line, boolean isAwaited) {
    if (isStartHeld) {
      Iterator all = open.values().iterator();
      while (all.hasNext()) sayStarts((OpenBatch) all.next());
      isStartHeld = false;
    }
    say(line, isAwaited);
  }

  /** Whether an execution is a batch, or runs within one, that has not ended. */
  public boolean isWithin(long execution) {
    return roots.containsKey(Long.valueOf(execution));
  }

  /** What was dropped or renamed may be created again by a batch with the same content as an earlier one. */
  public void forget() {
    known.clear();
  }

  /** Notes that the query of an RDD was reported, which identifies the RDD from now on. */
  public void reportedRdd(String id) {
    reportedRdds.add(id);
  }

  /** Says a line; false where there is no room for it, which is counted. */
  public boolean say(String line, boolean isAwaited) {
    boolean isSaid = texts.offer(line, isAwaited);
    if (!isSaid) counters.countFull();
    return isSaid;
  }

  /** A run has one batch at a time: the end of one before this was lost. */
  private void begin(long root, String runId) {
    List lost = new ArrayList();
    Iterator all = open.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry each = (Map.Entry) all.next();
      boolean isFirst = lost.isEmpty() && open.size() >= MAX_OPEN;
      if (isFirst || ((OpenBatch) each.getValue()).runId.equals(runId)) lost.add(each.getKey());
    }
    for (int i = 0; i < lost.size(); i++) close((Long) lost.get(i));
    open.put(Long.valueOf(root), new OpenBatch(root, runId, reportedRdds));
  }

  private void close(Long root) {
    OpenBatch batch = (OpenBatch) open.remove(root);
    held -= batch.chars;
    batch.chars = 0;
    for (int i = 0; i < batch.executions.size(); i++) roots.remove(batch.executions.get(i));
  }

  private void hold(OpenBatch batch, List to, String line) {
    to.add(line);
    batch.micros += Long.parseLong(line.substring(line.indexOf(',') + 1, line.indexOf(",[")));
    batch.chars += line.length();
    held += line.length();
    batch.isNew = batch.isNew || to.size() > MAX_HELD || held > MAX_HELD_CHARS;
  }

  private void read(OpenBatch batch, String line) {
    try {
      PlanDigest read = PlanDigest.of(line, batch.ids);
      batch.read.add(read);
      batch.counters.add(read.counters());
    } catch (RuntimeException e) {
      batch.isNew = true;
      counters.count("micro-batch not compared: " + e.getClass().getName(), 1);
    }
  }

  private void remember(String content, Long root) {
    known.put(content, root);
    if (known.size() <= MAX_KNOWN) return;
    Iterator all = known.keySet().iterator();
    all.next();
    all.remove();
  }

  /** Says what is held back of a batch; false where there was no room for a part of it. */
  private boolean emitAll(OpenBatch batch) {
    held -= batch.chars;
    quiet.remove(batch.runId);
    List lines = batch.lines();
    boolean isSaid = true;
    for (int i = 0; i < lines.size(); i++) isSaid = say((String) lines.get(i), true) && isSaid;
    return isSaid;
  }

  private void sayStarts(OpenBatch batch) {
    for (int i = 0; i < batch.starts.size(); i++) {
      String line = (String) batch.starts.get(i);
      held -= line.length();
      batch.chars -= line.length();
      say(line, true);
    }
    batch.starts.clear();
  }
}
