package sackafka;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/** What the listener counts, by any of its threads: what was dropped and why. */
public class Counters {
  private final TreeMap counts = new TreeMap();
  private boolean changed = false;

  public void count(String what, int n) {
    if (n <= 0) return;
    synchronized (counts) {
      Integer known = (Integer) counts.get(what);
      counts.put(what, Integer.valueOf(known == null ? n : known.intValue() + n));
      changed = true;
    }
  }

  /** The line with all counts; null if none has changed since the last one. */
  public String line() {
    synchronized (counts) {
      if (!changed) return null;
      changed = false;
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
