package sackafka;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/** What the listener counts, by any of its threads: what was dropped and why. */
public class Counters {
  private final TreeMap counts = new TreeMap();
  private boolean changed = false;
  private boolean hasBeenFull = false;
  private int unreported = 0;

  public void count(String what, int n) {
    if (n <= 0) return;
    synchronized (counts) {
      Integer known = (Integer) counts.get(what);
      counts.put(what, Integer.valueOf(known == null ? n : known.intValue() + n));
      changed = true;
      if (what.startsWith("dropped")) unreported += n;
    }
  }

  /** An event finds no room among those that wait for Python, which may stand still: the first one is logged here. */
  public void countFull() {
    count("dropped: text queue full", 1);
    synchronized (counts) {
      if (!hasBeenFull)
        System.err.println(
            "sac_kafka: the lineage of some events is lost, which stats() and the hook's last line count: its Python does not take"
                + " them as fast as they come, or stands still, and atlas.hook.spark.capture.queue.events or .bytes is reached");
      hasBeenFull = true;
    }
  }

  /** How many were dropped since the last line. */
  public int unreported() {
    synchronized (counts) {
      return unreported;
    }
  }

  /** The line with all counts; null if none has changed since the last one. */
  public String line() {
    synchronized (counts) {
      if (!changed) return null;
      changed = false;
      unreported = 0;
      StringBuilder line = new StringBuilder("[\"counters\",{");
      Iterator it = counts.entrySet().iterator();
      for (int n = 0; it.hasNext(); n++) {
        Map.Entry e = (Map.Entry) it.next();
        line.append(n == 0 ? "\"" : ",\"").append(e.getKey()).append("\":").append(e.getValue());
      }
      return line.append("}]").toString();
    }
  }
}
