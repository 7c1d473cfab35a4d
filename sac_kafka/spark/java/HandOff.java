package sackafka;

import java.util.ArrayDeque;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * What is on its way from the bus to the projecting thread, in order. Starts, and Spark's figures of a batch, mean nothing by
 * themselves: they come with what happens next, or soon. To wake a thread costs more than to project them.
 */
public class HandOff {
  private static final long SOON_MILLIS = 1000;
  private static final int MAX_UNAWAITED = 16;

  private final ArrayDeque waiting = new ArrayDeque(); // bounded by who adds
  private boolean isAwaited = false; // one of them

  /** Adds an event, a marker, or the end. */
  public void add(Object o) {
    synchronized (this) {
      waiting.add(o);
      if (isAwaited || waiting.size() < MAX_UNAWAITED && !isAwaited(o)) return;
      isAwaited = true;
      notifyAll();
    }
  }

  /** The next event; null if none arrives for a while. */
  public Object take() throws InterruptedException {
    synchronized (this) {
      if (!isAwaited) wait(SOON_MILLIS);
      Object next = waiting.poll();
      isAwaited = !waiting.isEmpty();
      return next;
    }
  }

  /** The next event, null if the queue is empty. */
  public Object poll() {
    synchronized (this) {
      return waiting.poll();
    }
  }

  private static boolean isAwaited(Object o) {
    return !(o instanceof SparkListenerSQLExecutionStart || o instanceof StreamingQueryListener.QueryProgressEvent);
  }
}
