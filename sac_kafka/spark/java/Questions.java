package sackafka;

import java.util.HashMap;
import java.util.Map;

/** Questions of Python processes to the one that serves them, and its answers: ["question", id, text]. */
public class Questions {
  private final Map open = new HashMap(); // id -> answer, null until there is one
  private long last = 0;

  /** The number of a new question. */
  public long begin() {
    synchronized (this) {
      open.put(Long.valueOf(++last), null);
      return last;
    }
  }

  static String line(long id, String text) {
    StringBuilder out = new StringBuilder("[\"question\",").append(id).append(',');
    Records.quote(text, out);
    return out.append(']').toString();
  }

  /** Waits for an answer; null if none arrives within ms. */
  public String await(long id, long ms) throws InterruptedException {
    Long number = Long.valueOf(id);
    long deadline = System.nanoTime() + ms * 1000000L;
    synchronized (this) {
      for (long left = ms; open.get(number) == null && left > 0; left = (deadline - System.nanoTime()) / 1000000L) wait(left);
      return (String) open.get(number);
    }
  }

  /** No process waits for an answer any more. */
  public void end(long id) {
    synchronized (this) {
      open.remove(Long.valueOf(id));
    }
  }

  /** The answer to a question; nothing if no process waits for it. */
  public void answer(long id, String text) {
    synchronized (this) {
      if (open.containsKey(Long.valueOf(id))) open.put(Long.valueOf(id), text);
      notifyAll();
    }
  }
}
