package sackafka.kafka;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The lines that wait for Python, fields separated by tabs: one a record, and a few of the client's own. */
public class Reports {
  private static final int MAX_CHARS = 1000000;

  private final LinkedBlockingQueue lines = new LinkedBlockingQueue(); // as many as records were handed over, and notices

  public void delivered(long number, int partition, long offset) {
    lines.add("delivered\t" + number + "\t" + partition + "\t" + offset);
  }

  public void failed(long number, String name, String text) {
    lines.add("failed\t" + number + "\t" + name + "\t" + text);
  }

  public void noticed(String name, String text) {
    lines.add("noticed\t" + name + "\t" + text);
  }

  public void throttled(double seconds) {
    lines.add("throttled\t" + seconds);
  }

  /** The lines that wait, below each other; waits at most ms for the first. */
  public String drain(long ms) throws InterruptedException {
    StringBuilder batch = new StringBuilder();
    String line = (String) lines.poll(ms, TimeUnit.MILLISECONDS);
    while (line != null) {
      if (batch.length() > 0) batch.append('\n');
      batch.append(line);
      line = batch.length() < MAX_CHARS ? (String) lines.poll() : null;
    }
    return batch.toString();
  }
}
