package sackafka;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The lines that wait for Python: those of events within bounds, the listener's own always. */
public class TextQueue {
  private final int mostEvents;
  private final long mostChars;
  private final LinkedBlockingQueue lines = new LinkedBlockingQueue(); // bounded by events and chars
  private final AtomicInteger events = new AtomicInteger();
  private final AtomicLong chars = new AtomicLong();

  public TextQueue(int mostEvents, long mostChars) {
    this.mostEvents = mostEvents;
    this.mostChars = mostChars;
  }

  /** Adds the line of an event; false where there is no room for it. */
  public boolean offer(String line) {
    if (events.get() >= mostEvents || chars.get() + line.length() > mostChars) return false;
    events.incrementAndGet();
    chars.addAndGet(line.length());
    lines.add(line);
    return true;
  }

  /** Adds a line of the listener's own, which passes every bound. */
  public void add(String line) {
    lines.add(line);
  }

  /** Moves the lines that wait to the end of the batch, up to about maxChars characters; waits at most ms for the first. */
  public void drain(long ms, int maxChars, StringBuilder batch) throws InterruptedException {
    String line = (String) lines.poll(ms, TimeUnit.MILLISECONDS);
    while (line != null) {
      append(line, batch);
      if (line.startsWith("[\"event\"")) {
        events.decrementAndGet();
        chars.addAndGet(-line.length());
      }
      line = batch.length() < maxChars ? (String) lines.poll() : null;
    }
  }

  /** A line below what the batch has already. */
  public static void append(String line, StringBuilder batch) {
    if (batch.length() > 0) batch.append('\n');
    batch.append(line);
  }
}
