package sackafka;

import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * What the driver's Python does and Spark posts no event of (a model that is fitted, rows that come back as a DataFrame):
 * posted on the bus it comes out of our own queue in order. It holds its plan no longer than any event.
 */
public class DriverNote implements SparkListenerEvent {
  private final String kind;
  private final String text;
  private final LogicalPlan plan;
  private final RddRows rows;

  public DriverNote(String kind, String text, LogicalPlan plan, RddRows rows) {
    this.kind = kind;
    this.text = text;
    this.plan = plan;
    this.rows = rows;
  }

  public String kind() {
    return kind;
  }

  public String text() {
    return text;
  }

  public LogicalPlan plan() {
    return plan;
  }

  public RddRows rows() {
    return rows;
  }

  /** Not for the event log: a history server would not know the class. */
  public boolean logEvent() {
    return false;
  }
}
