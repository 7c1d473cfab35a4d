package sackafka;

import org.apache.spark.scheduler.SparkListenerEvent;

/** An event of ours: posted on the bus it comes out of our own queue in order, as a line, behind all that was posted before it. */
public class FlushMarker implements SparkListenerEvent {
  public final String line;

  public FlushMarker(String line) {
    this.line = line;
  }

  /** Not for the event log: a history server would not know the class. */
  public boolean logEvent() {
    return false;
  }
}
