package sackafka;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates;
import org.apache.spark.util.AccumulatorContext;
import org.apache.spark.util.AccumulatorV2;
import scala.Option;
import scala.Tuple2;

/**
 * What writes of the last executions counted in the driver. Writers without a command in the plan (Delta's transactions) post it in
 * an event. The bus thread writes it down at once, because Spark keeps the names of these metrics only while they are in use.
 */
public class DriverCounts {
  private static final int MAX_EXECUTIONS = 1000;
  private static final String[] NAMES = new String[] {"number of output rows", "number of written files", "written output"};

  private final Map byExecution =
      new LinkedHashMap() { // of long[], in the order of NAMES
        protected boolean removeEldestEntry(Map.Entry eldest) {
          return size() > MAX_EXECUTIONS;
        }
      };

  /** Adds what a write has counted; does nothing where the event is not one of a write, which has all of NAMES. */
  public void add(SparkListenerDriverAccumUpdates e) {
    long[] counted = new long[NAMES.length];
    int found = 0;
    Iterator updates = Containers.elements(e.accumUpdates());
    while (updates.hasNext()) {
      Tuple2 update = (Tuple2) updates.next();
      int at = indexOf(((Number) update._1()).longValue());
      if (at < 0) continue;
      counted[at] += ((Number) update._2()).longValue();
      found |= 1 << at;
    }
    if (found != (1 << NAMES.length) - 1) return;
    Long execution = Long.valueOf(e.executionId());
    synchronized (byExecution) {
      long[] before = (long[]) byExecution.get(execution);
      for (int i = 0; before != null && i < counted.length; i++) counted[i] += before[i];
      byExecution.put(execution, counted);
    }
  }

  /** Rows, files and bytes of an execution; null where nothing was counted. */
  public List of(long execution) {
    synchronized (byExecution) {
      long[] counted = (long[]) byExecution.get(Long.valueOf(execution));
      if (counted == null) return null;
      List of = new ArrayList();
      for (int i = 0; i < counted.length; i++) of.add(String.valueOf(counted[i]));
      return of;
    }
  }

  private static int indexOf(long id) {
    Option known = AccumulatorContext.get(id);
    Object name = known.isDefined() ? Containers.unwrap(((AccumulatorV2) known.get()).name()) : null;
    for (int i = 0; i < NAMES.length; i++) if (NAMES[i].equals(name)) return i;
    return -1;
  }
}
