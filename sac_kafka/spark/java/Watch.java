package sackafka;

import java.io.FileInputStream;
import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;

/**
 * Names accessors that made the projecting thread wait: they should only return what an object holds. What computes
 * for long, such as the columns of a huge plan, is named only if it is not one of Spark's. Neither the time of collections counts, nor
 * that in which the machine had no processor for this thread.
 */
public class Watch {
  public static final long SLOW_NANOS = 50000000L;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean(); // to look one up takes longer than to ask it
  private static final List COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();

  private static volatile boolean isCounted = true;

  private final Records records;
  private long wall;
  private long cpu;
  private long queued;
  private long collecting;

  public Watch(Records records) {
    this.records = records;
  }

  /** The time before does not count: called at the beginning of an event. */
  public void begin() {
    wall = System.nanoTime();
    cpu = cpuNanos();
    queued = queuedNanos();
    collecting = collectingMillis();
  }

  /** An accessor took more than SLOW_NANOS. */
  public void slow(Object o, String accessor) {
    long collected = (collectingMillis() - collecting) * 1000000L;
    long took = System.nanoTime() - wall - (queuedNanos() - queued) - collected;
    long waited = took - (cpuNanos() - cpu);
    String name = o.getClass().getName();
    if (waited >= SLOW_NANOS / 2 || took > SLOW_NANOS && collected == 0 && !name.startsWith("org.apache.spark."))
      records.note("slow accessor: " + name + "." + accessor);
    begin();
  }

  private static long cpuNanos() {
    return THREADS.isCurrentThreadCpuTimeSupported() ? THREADS.getCurrentThreadCpuTime() : 0L;
  }

  /** How long this thread has waited for a processor, as counted by Linux; 0 on other systems. */
  private static long queuedNanos() {
    if (!isCounted) return 0L;
    try {
      InputStream in = new FileInputStream("/proc/thread-self/schedstat");
      try {
        byte[] read = new byte[128];
        int length = in.read(read);
        return Long.parseLong(new String(read, 0, length, "US-ASCII").split(" ")[1]);
      } finally {
        in.close();
      }
    } catch (Exception e) {
      isCounted = false;
      return 0L;
    }
  }

  private static long collectingMillis() {
    long all = 0;
    for (int i = 0; i < COLLECTORS.size(); i++) all += Math.max(0L, ((GarbageCollectorMXBean) COLLECTORS.get(i)).getCollectionTime());
    return all;
  }
}
