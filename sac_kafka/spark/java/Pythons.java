package sackafka;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * The Python processes on this JVM that have attached, and the sessions that each has created. Python reads them as lines, in order
 * with the events; one that takes over reads all of them again.
 *
 * <pre>
 * ["python", process, what it has registered]
 * ["session", id of a session, process, {properties of its thread that identify a notebook or task}]
 * ["session", id of a run of a streaming query, process, {}]
 * ["parted", process, whether an error or a signal has ended it]
 * </pre>
 */
public class Pythons {
  private static final int MAX_SESSIONS = 5000; // and processes

  private final Map registered = bounded(); // process -> text
  private final Map owners = bounded(); // id -> process
  private final Map owned = bounded(); // id -> its line
  private final Map sessions = bounded(); // id -> WeakReference of the session
  private String parted; // the line of the last process that has parted; null if one has registered since

  private static Map bounded() {
    return new LinkedHashMap() {
      protected boolean removeEldestEntry(Map.Entry eldest) {
        return size() > MAX_SESSIONS;
      }
    };
  }

  /** A process registers, also again; returns its line. */
  public String register(String process, String text) {
    synchronized (this) {
      registered.put(process, text);
      parted = null;
      return line("python", process, text);
    }
  }

  /** A process has created or uses a session, in a thread with some properties (JSON); returns its line, null if that is known. */
  public String add(Object session, String process, String properties) throws Exception {
    String id = (String) session.getClass().getMethod("sessionUUID").invoke(session);
    synchronized (this) {
      sessions.put(id, new WeakReference(session));
      boolean isKnown = owners.put(id, process) != null;
      return isKnown && properties.equals("{}") ? null : ownedBy(id, process, properties);
    }
  }

  private String ownedBy(String id, String process, String properties) {
    String line = line("session", id, process);
    line = line.substring(0, line.length() - 1) + ',' + properties + ']';
    return line.equals(owned.put(id, line)) ? null : line;
  }

  /** The line of a streaming query that has started in one of the sessions; null where only one process could have started it. */
  public String started(Object event) throws Exception {
    if (!(event instanceof StreamingQueryListener.QueryStartedEvent)) return null;
    StreamingQueryListener.QueryStartedEvent e = (StreamingQueryListener.QueryStartedEvent) event;
    List open = new ArrayList();
    synchronized (this) {
      if (registered.size() < 2) return null;
      open.addAll(sessions.entrySet());
    }
    for (Iterator it = open.iterator(); it.hasNext(); ) {
      Map.Entry each = (Map.Entry) it.next();
      Object session = ((WeakReference) each.getValue()).get();
      if (session == null) continue;
      Object streams = session.getClass().getMethod("streams").invoke(session);
      if (streams.getClass().getMethod("get", java.util.UUID.class).invoke(streams, e.id()) == null) continue;
      synchronized (this) {
        Object owner = owners.get(each.getKey());
        return owner == null ? null : ownedBy(e.runId().toString(), (String) owner, "{}");
      }
    }
    return null;
  }

  /** What a process has registered; null if it has not. */
  public String textOf(String process) {
    synchronized (this) {
      return (String) registered.get(process);
    }
  }

  /** All processes that have registered, one per line. */
  public String processes() {
    StringBuilder all = new StringBuilder();
    synchronized (this) {
      for (Iterator it = registered.keySet().iterator(); it.hasNext(); ) TextQueue.append((String) it.next(), all);
    }
    return all.toString();
  }

  /** A process that was served has ended; returns its line. */
  public String part(String process, boolean hasFailed) {
    synchronized (this) {
      registered.remove(process);
      StringBuilder out = new StringBuilder("[\"parted\",");
      Records.quote(process, out);
      return parted = out.append(',').append(hasFailed).append(']').toString();
    }
  }

  /** A process that has served has ended, or serves no longer. */
  public void remove(String process) {
    synchronized (this) {
      registered.remove(process);
    }
  }

  /** All lines, for a process that takes over. */
  public List lines() {
    synchronized (this) {
      List all = new ArrayList();
      for (Iterator it = registered.entrySet().iterator(); it.hasNext(); ) {
        Map.Entry each = (Map.Entry) it.next();
        all.add(line("python", (String) each.getKey(), (String) each.getValue()));
      }
      all.addAll(owned.values());
      if (parted != null) all.add(parted);
      return all;
    }
  }

  private static String line(String kind, String first, String second) {
    StringBuilder out = new StringBuilder("[\"").append(kind).append("\",");
    Records.quote(first, out);
    out.append(',');
    Records.quote(second, out);
    return out.append(']').toString();
  }
}
