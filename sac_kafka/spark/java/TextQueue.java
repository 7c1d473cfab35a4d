package sackafka;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The lines waiting for Python: those of events within bounds, the listener's own always. Lines that wake no reader are
 * returned with the next line that does, or when a poll times out: a poll costs more than such a line.
 *
 * <p>The lines of events are numbered from 1 in the order in which they are returned, and kept until Python confirms them, so that
 * another Python can take over from one that ended.
 */
public class TextQueue {
  private final int mostEvents;
  private final long mostChars;
  private final EventLine lineOf;
  private final ArrayDeque lines = new ArrayDeque(); // bounded by events and chars
  private final Map repeated = new LinkedHashMap(); // run -> RepeatedBatches, behind all lines
  private int events = 0;
  private final LinkedHashMap kept = new LinkedHashMap(); // number -> line, returned and not confirmed, bounded by chars
  private long keptChars = 0;
  private long returned = 0; // the number of the last line
  private long chars = 0;
  private String reader;
  private boolean isAwaited = false; // one of the lines, or somebody wants to know

  public TextQueue(int mostEvents, long mostChars, EventLine lineOf, String process) {
    this.reader = process;
    this.lineOf = lineOf;
    this.mostEvents = mostEvents;
    this.mostChars = mostChars;
  }

  /** How many events wait, or were returned and not confirmed. */
  public int unread() {
    synchronized (this) {
      return events + kept.size();
    }
  }

  /** Forgets the returned lines up to a number, except those in a list of numbers separated by blanks. */
  public void confirm(long upTo, String needed) {
    synchronized (this) {
      Set still = new HashSet(Arrays.asList(needed.split(" ")));
      Iterator all = kept.entrySet().iterator();
      while (all.hasNext()) {
        Map.Entry each = (Map.Entry) all.next();
        long number = ((Long) each.getKey()).longValue();
        if (number > upTo) break;
        if (still.contains(each.getKey().toString())) continue;
        keptChars -= ((String) each.getValue()).length();
        all.remove();
      }
    }
  }

  /** Puts some lines and those that were not confirmed before those that wait, and numbers from 1 again: another Python reads them. */
  public void restart(String process, List first) {
    synchronized (this) {
      reader = process; // a call of the one before may still wait
      ArrayDeque waiting = new ArrayDeque(lines);
      lines.clear();
      lines.addAll(first);
      lines.addAll(kept.values());
      lines.addAll(waiting);
      events += kept.size();
      chars += keptChars;
      kept.clear();
      keptChars = 0;
      returned = 0;
      wake();
    }
  }

  /** Adds the line of an event, which may be one that somebody waits for; false where there is no room for it. */
  public boolean offer(String line, boolean isAwaited) {
    synchronized (this) {
      emitRepeated();
      if (events >= mostEvents || chars + line.length() > mostChars) return false;
      events++;
      chars += line.length();
      lines.add(line);
      if (isAwaited || events >= mostEvents / 2 || chars >= mostChars / 2) wake();
      return true;
    }
  }

  /**
   * Adds repeated batches to those of the run that wait already, as long as no other line follows; returns false if the queue
   * is full.
   */
  public boolean offer(RepeatedBatches more) {
    synchronized (this) {
      RepeatedBatches before = (RepeatedBatches) repeated.get(more.runId());
      if (before != null && !before.isFull()) {
        before.add(more);
        return true;
      }
      if (before != null) emitRepeated();
      if (events >= mostEvents || chars >= mostChars) return false;
      events++;
      repeated.put(more.runId(), more);
      if (events >= mostEvents / 2) wake();
      return true;
    }
  }

  /** Emits the combined repeated batches before the next line. */
  private void emitRepeated() {
    Iterator all = repeated.values().iterator();
    while (all.hasNext()) {
      String line = lineOf.of((RepeatedBatches) all.next());
      if (line == null) events--;
      else {
        chars += line.length();
        lines.add(line);
      }
    }
    repeated.clear();
  }

  /** Adds a line of the listener's own, which passes every bound. */
  public void add(String line) {
    synchronized (this) {
      emitRepeated();
      lines.add(line);
      wake();
    }
  }

  /** Ends the wait for lines, or else the next one: somebody looks, whatever there is. */
  public void wake() {
    synchronized (this) {
      isAwaited = true;
      notifyAll();
    }
  }

  /**
   * Moves the lines that wait to the end of the batch, up to about maxChars characters; waits at most ms for one that is awaited.
   * Nothing for a process that no longer reads.
   */
  public void drain(long ms, int maxChars, StringBuilder batch, String process) throws InterruptedException {
    long deadline = System.nanoTime() + ms * 1000000L;
    synchronized (this) {
      for (long left = ms; !isAwaited && left > 0; left = (deadline - System.nanoTime()) / 1000000L) wait(left);
      if (!process.equals(reader)) return;
      emitRepeated();
      while (!lines.isEmpty() && (batch.length() == 0 || batch.length() < maxChars)) {
        String line = (String) lines.poll();
        append(line, batch);
        if (line.startsWith("[\"event\"")) {
          events--;
          chars -= line.length();
          keep(line);
        }
      }
      isAwaited = !lines.isEmpty();
    }
  }

  private void keep(String line) {
    kept.put(Long.valueOf(++returned), line);
    keptChars += line.length();
    Iterator oldest = kept.values().iterator();
    while (keptChars > mostChars && oldest.hasNext()) {
      keptChars -= ((String) oldest.next()).length();
      oldest.remove();
    }
  }

  /** A line below what the batch has already. */
  public static void append(String line, StringBuilder batch) {
    if (batch.length() > 0) batch.append('\n');
    batch.append(line);
  }
}
