package sackafka;

import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.QueryExecution;

/** Notes of a Python process of the driver: posted on the listener bus, they leave the hook's queue in order. */
public class Notes {
  private final SparkContext context;
  private final Specification specification;
  private final String process;
  private final StatementPlans statements = new StatementPlans();

  public Notes(SparkContext context, Specification specification, String process) {
    this.context = context;
    this.specification = specification;
    this.process = process;
  }

  /** Posts a note of the driver's Python; the plan is a DataFrame's, null where it is about none. */
  public void note(String kind, String text, Object execution) {
    LogicalPlan plan = execution == null ? null : ((QueryExecution) execution).analyzed();
    context.listenerBus().post(new DriverNote(kind, text, plan, null));
  }

  /** The literals of a DataFrame (PlanLiterals): returned to the caller, never part of an event. */
  public String literals(Object execution) {
    return PlanLiterals.of(((QueryExecution) execution).analyzed(), statements.alive());
  }

  /** Remembers the plan of a statement's DataFrame, for the literals of DataFrames that are made of it. */
  public void remember(Object execution, String text) {
    statements.add(((QueryExecution) execution).analyzed(), text);
  }

  /** Posts a note that an RDD was made of the DataFrame of an execution: its text is the id of the query's own RDD. */
  public void noteRdd(String kind, RDD rdd, Object execution) {
    RDD query = RddRows.queryOf(rdd, specification);
    if (query != null) note(kind, String.valueOf(query.id()), execution);
  }

  /** Posts a note that a DataFrame was made as a checkpoint of another, with the plan of that: its text is the id of its RDD. */
  public void noteCheckpoint(String kind, Object made, Object of) {
    LogicalPlan leaf = ((QueryExecution) made).analyzed();
    if (leaf instanceof LogicalRDD) note(kind, String.valueOf(((LogicalRDD) leaf).rdd().id()), of);
  }

  /** Posts a note about an RDD with the current sources of its rows; an empty text means the id of the RDD. */
  public void noteRows(String kind, String text, RDD rdd) {
    RddRows rows = RddRows.of(rdd, specification);
    context.listenerBus().post(new DriverNote(kind, text.isEmpty() ? String.valueOf(rdd.id()) : text, null, rows));
  }

  /** Posts a note about a model; path is as it was given, the others are as of ModelNote. */
  public void model(String kind, String text, String path, Object read, Object before, Object after) {
    String at = path == null ? null : Locations.ofModel(path, context);
    context.listenerBus().post(new ModelNote(kind, text, process, at, read, before, after));
  }
}
