package sackafka;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;

/**
 * What the driver's Python does with models and Spark posts no event of: a fit, a save, a load, a transform. Of a fit it has the
 * plan of the training data, of a transform the columns that it has added, of a save and a load the directory.
 */
public class ModelNote implements SparkListenerEvent {
  private final String kind;
  private final String text;
  private final String process;
  private final String path;
  private final long time = System.currentTimeMillis();
  private final LogicalPlan plan;
  private final List columns; // of Attribute

  /** read: what a model is fitted to; before and after: what a transform is given, and gives. Each may be null. */
  public ModelNote(String kind, String text, String process, String path, Object read, Object before, Object after) {
    this.kind = kind;
    this.text = text;
    this.process = process;
    this.path = path;
    this.plan = read == null ? null : ((QueryExecution) read).analyzed();
    this.columns = before == null || after == null ? new ArrayList() : added((QueryExecution) before, (QueryExecution) after);
  }

  private static List added(QueryExecution before, QueryExecution after) {
    Set known = new HashSet();
    for (Iterator it = Containers.elements(before.analyzed().output()); it.hasNext(); )
      known.add(Long.valueOf(((Attribute) it.next()).exprId().id()));
    List added = new ArrayList();
    for (Iterator it = Containers.elements(after.analyzed().output()); it.hasNext(); ) {
      Attribute a = (Attribute) it.next();
      if (!known.contains(Long.valueOf(a.exprId().id()))) added.add(a);
    }
    return added;
  }

  public String kind() {
    return kind;
  }

  public String text() {
    return text;
  }

  /** The Python process. */
  public String process() {
    return process;
  }

  public String path() {
    return path;
  }

  public long time() {
    return time;
  }

  public LogicalPlan plan() {
    return plan;
  }

  public List columns() {
    return columns;
  }

  /** Not for the event log: a history server would not know the class. */
  public boolean logEvent() {
    return false;
  }
}
