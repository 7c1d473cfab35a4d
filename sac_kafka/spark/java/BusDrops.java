package sackafka;

import com.codahale.metrics.Counter;
import org.apache.spark.SparkContext;

/** What Spark has dropped because a queue of the listener bus was full: it counts that in a metric. One thread's. */
public class BusDrops {
  private final SparkContext context;
  private final String metric;
  private Counter counter; // once Spark has it
  private long seen = 0;

  public BusDrops(SparkContext context, String queue) {
    this.context = context;
    this.metric = "queue." + queue + ".numDroppedEvents";
  }

  /** Events that were dropped since the last time. */
  public int more() {
    if (counter == null) counter = (Counter) context.listenerBus().metrics().metricRegistry().getCounters().get(metric);
    long all = counter == null ? 0 : counter.getCount();
    int more = (int) (all - seen);
    seen = all;
    return more;
  }
}
