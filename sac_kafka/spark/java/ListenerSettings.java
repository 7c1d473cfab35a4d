package sackafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The settings of the listener: one per line, key and value separated by a tab. */
public class ListenerSettings {
  public final List redactKeys = new ArrayList();
  public final List redactValues = new ArrayList();
  public final List jobKeys = new ArrayList(); // of properties of jobs by which platforms name a notebook or task
  public final Map foreignKinds = new TreeMap(); // as ForeignText has them
  public final String owner; // the Python process whose listener it is
  public final String kind; // equal for listeners that capture the same
  public final String version; // of the wheel
  public final boolean catalog;
  public final boolean literals;
  public final int handoffEvents;
  public final int queueEvents;
  public final long queueChars;
  public final int budget;
  public final long stuckNanos;
  public final long stopWaitNanos;
  public final long stackBytes;

  public ListenerSettings(String text) {
    Map s = new TreeMap();
    String[] lines = text.split("\n");
    for (int i = 0; i < lines.length; i++) {
      int tab = lines[i].indexOf('\t');
      String key = lines[i].substring(0, tab);
      String value = lines[i].substring(tab + 1);
      if (key.equals("redact.key")) redactKeys.add(value);
      else if (key.equals("redact.value")) redactValues.add(value);
      else if (key.equals("job.key")) jobKeys.add(value);
      else if (key.equals("foreign.kind")) foreignKinds.put(value.substring(0, value.indexOf(' ')), value.substring(value.indexOf(' ') + 1));
      else s.put(key, value);
    }
    this.owner = (String) s.get("owner");
    this.kind = (String) s.get("kind");
    this.version = (String) s.get("version");
    this.catalog = Boolean.parseBoolean((String) s.get("catalog"));
    this.literals = Boolean.parseBoolean((String) s.get("literals"));
    this.handoffEvents = Integer.parseInt((String) s.get("handoff.events"));
    this.queueEvents = Integer.parseInt((String) s.get("queue.events"));
    this.queueChars = Long.parseLong((String) s.get("queue.chars"));
    this.budget = Integer.parseInt((String) s.get("event.values"));
    this.stuckNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong((String) s.get("stuck.ms")));
    this.stopWaitNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong((String) s.get("stop.wait.ms")));
    this.stackBytes = Long.parseLong((String) s.get("stack.bytes"));
  }
}
