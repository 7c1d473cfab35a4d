package sackafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.CaseWhen;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.trees.Origin;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.StreamWriterCommitProgress;
import org.apache.spark.sql.execution.datasources.v2.V2TableWriteExec;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.util.AccumulatorV2;

/** The listener's own steps of an accessor (@name) that need more of Spark than a method call. */
public class Steps {
  private static final String[] NAMES = {"spark.atlas.hook.spark.job.name", "spark.app.name"};
  private static final int MAX_TOPICS = 100;
  private static final List TYPE_FUNCTIONS =
      java.util.Arrays.asList(
          new Object[] {
            "bigint", "binary", "boolean", "date", "decimal", "double", "float", "int", "smallint", "string", "timestamp", "tinyint"
          });

  /** The RDD that an execution has made of a query (Spark 4: Dataset.rdd of the JVM), null where it was for something else. */
  public static Integer rddId(SparkListenerSQLExecutionEnd end) {
    boolean isMade = "rdd".equals(Containers.unwrap(end.executionName())) && end.executionFailure().isEmpty() && end.qe() != null;
    return isMade ? Integer.valueOf(end.qe().toRdd().id()) : null;
  }

  /** The RDD that an execution has computed to make a checkpoint of it; null where it was for something else, or ran no job. */
  public static Integer checkpointRdd(SparkListenerSQLExecutionEnd end, Jobs jobs) {
    Object name = Containers.unwrap(end.executionName());
    boolean isMade = "checkpoint".equals(name) || "localCheckpoint".equals(name);
    return isMade && end.executionFailure().isEmpty() ? jobs.newestRdd(end.executionId()) : null;
  }

  /** The option dbtable of a JDBC source where it is a name, else null. */
  public static String tableName(JDBCOptions options) {
    String dbtable = parameter(options, "dbtable");
    return dbtable != null && isTable(options, dbtable) ? dbtable : null;
  }

  /** The query of a JDBC source: the option query, or dbtable where that is a subquery. */
  public static ForeignQuery query(JDBCOptions options) {
    String query = queryText(options);
    return query == null ? null : ForeignQuery.parse(options.url(), query);
  }

  /** The text of that query. */
  public static String queryText(JDBCOptions options) {
    String dbtable = parameter(options, "dbtable");
    if (dbtable != null && isTable(options, dbtable)) return null;
    String before = parameter(options, "prepareQuery");
    String query = dbtable == null ? parameter(options, "query") : "SELECT * FROM " + dbtable;
    return query == null || before == null ? query : before + " " + query;
  }

  /** Whether dbtable is a table's name; behind prepareQuery it may be that of what WITH names there. */
  private static boolean isTable(JDBCOptions options, String dbtable) {
    return ForeignQuery.isName(dbtable) && parameter(options, "prepareQuery") == null;
  }

  /** Whether a statement has the cast: as CAST, :: or a call of the DataFrame API, or as the function that the type names. */
  public static boolean isWritten(Cast cast) {
    if (cast.getTagValue(Cast.USER_SPECIFIED_CAST()).isDefined()) return true;
    Origin origin = cast.origin();
    if (origin.sqlText().isEmpty() || origin.startIndex().isEmpty() || origin.stopIndex().isEmpty()) return false;
    String sql = (String) origin.sqlText().get();
    int start = ((Integer) origin.startIndex().get()).intValue();
    int stop = ((Integer) origin.stopIndex().get()).intValue();
    return start >= 0 && stop < sql.length() && start < stop && isCall(sql, start, stop);
  }

  /** True for `int(…)` and the like from start to stop; what the analyzer adds has the origin of what it is added to. */
  private static boolean isCall(String sql, int start, int stop) {
    int open = start;
    while (open < stop && Character.isLetter(sql.charAt(open))) open++;
    if (!TYPE_FUNCTIONS.contains(sql.substring(start, open).toLowerCase(java.util.Locale.ROOT))) return false;
    while (open < stop && Character.isWhitespace(sql.charAt(open))) open++;
    if (sql.charAt(open) != '(') return false;
    int depth = 0;
    for (int i = open; i <= stop; i++) {
      char c = sql.charAt(i);
      if (c == '(') depth++;
      else if (c == ')' && --depth == 0) return i == stop;
    }
    return false;
  }

  /** The value of an option, ignoring the case of its key; null if it is not set. */
  public static String option(Object options, String key) {
    Iterator it = Containers.elements(options);
    while (it.hasNext()) {
      scala.Tuple2 entry = (scala.Tuple2) it.next();
      if (key.equalsIgnoreCase((String) entry._1())) return (String) entry._2();
    }
    return null;
  }

  /** The settings of a session that name its job, where they are not the application's. */
  public static Map sessionNames(QueryExecution qe) {
    Map names = new HashMap();
    for (int i = 0; i < NAMES.length; i++) {
      String value = qe.sparkSession().sessionState().conf().getConfString(NAMES[i], "");
      if (!value.equals(qe.sparkSession().sparkContext().conf().get(NAMES[i], ""))) names.put(NAMES[i], value);
    }
    return names;
  }

  private static String parameter(JDBCOptions options, String key) {
    scala.Option value = options.parameters().get(key);
    return value.isDefined() ? (String) value.get() : null;
  }

  /**
   * What each writing command of the executed plan counted by a metric (numOutputRows, numFiles, numOutputBytes), -1 where it
   * did not. Writes of V2 sources count their rows only, and not as a metric. Of an execution that `failed` only what was
   * committed by then counts, which shows in its files.
   */
  public static List written(QueryExecution qe, String metric, boolean failed) {
    List counts = new ArrayList();
    ArrayDeque stack = new ArrayDeque();
    stack.push(qe.executedPlan());
    while (!stack.isEmpty()) {
      SparkPlan p = (SparkPlan) stack.pop();
      if (p instanceof DataWritingCommandExec) {
        boolean known = !failed || isCommitted((DataWritingCommandExec) p);
        Object counted = known ? counted(p, metric) : null;
        counts.add(counted == null ? "-1" : counted.toString());
      } else if (p instanceof V2TableWriteExec) {
        scala.Option progress = ((V2TableWriteExec) p).commitProgress();
        boolean known = progress.isDefined() && metric.equals("numOutputRows");
        counts.add(known ? String.valueOf(((StreamWriterCommitProgress) progress.get()).numOutputRows()) : "-1");
      } else if (p instanceof AdaptiveSparkPlanExec) stack.push(((AdaptiveSparkPlanExec) p).executedPlan());
      else if (p instanceof QueryStageExec) stack.push(((QueryStageExec) p).plan()); // Spark 4: also of the whole result
      else {
        List children = new ArrayList();
        scala.collection.Iterator it = p.children().iterator();
        while (it.hasNext()) children.add(it.next());
        for (int i = children.size() - 1; i >= 0; i--) stack.push(children.get(i));
      }
    }
    return counts;
  }

  private static Object counted(SparkPlan p, String metric) {
    scala.Option known = p.metrics().get(metric);
    return known.isDefined() ? ((AccumulatorV2) known.get()).value() : null;
  }

  /** True where files are in their place: what a command counts it counts when it has committed them. */
  private static boolean isCommitted(DataWritingCommandExec p) {
    Object files = p.cmd() instanceof InsertIntoHadoopFsRelationCommand ? counted(p, "numFiles") : null;
    return files != null && ((Long) files).longValue() > 0;
  }

  /** True for several commands in one execution, which are run one after the other (Spark 4), and planned together. */
  public static boolean isMultiInsert(QueryExecution qe) {
    return Planned.isPlanned(qe) && qe.analyzed() instanceof Union && qe.analyzed().children().apply(0) instanceof Command;
  }

  /** The topics that rows of a Kafka sink name themselves; null where there is no such column or it is not made of literals. */
  public static List topics(LogicalPlan write, Specification specification) throws Throwable {
    if (write instanceof SaveIntoDataSourceCommand) {
      SaveIntoDataSourceCommand command = (SaveIntoDataSourceCommand) write;
      return topics(command.dataSource(), command.query());
    }
    Object table = specification.step(write, "table"); // of a micro-batch; since Spark 4.3 the relation
    if (table instanceof DataSourceV2Relation) table = ((DataSourceV2Relation) table).table();
    return topics(table, (LogicalPlan) specification.step(write, "query"));
  }

  private static List topics(Object sink, LogicalPlan query) {
    if (!sink.getClass().getName().startsWith("org.apache.spark.sql.kafka010.")) return null;
    List topics = new ArrayList();
    scala.collection.Iterator it = query.output().iterator();
    for (int i = 0; it.hasNext(); i++) {
      Attribute a = (Attribute) it.next();
      if (a.name().equals("topic")) return literals(query, i, topics) ? topics : null;
    }
    return null;
  }

  /** Adds the literals of the column at a position of the output; false if it may have other values. */
  private static boolean literals(LogicalPlan plan, int position, List to) {
    LogicalPlan p = plan;
    long id = attribute(p, position).exprId().id();
    while (true) {
      if (p instanceof Project) {
        Expression e = (Expression) ((Project) p).projectList().apply(position);
        if (e instanceof Alias) return values(((Alias) e).child(), to);
        if (!(e instanceof AttributeReference)) return false;
        id = ((AttributeReference) e).exprId().id();
      } else if (p instanceof Union) {
        scala.collection.Iterator children = p.children().iterator();
        while (children.hasNext()) if (!literals((LogicalPlan) children.next(), position, to)) return false;
        return true;
      }
      if (p.children().size() != 1) return false;
      p = (LogicalPlan) p.children().apply(0);
      position = -1;
      for (int i = 0; i < p.output().size(); i++) if (attribute(p, i).exprId().id() == id) position = i;
      if (position < 0) return false;
    }
  }

  private static Attribute attribute(LogicalPlan p, int position) {
    return (Attribute) p.output().apply(position);
  }

  private static boolean values(Expression root, List to) {
    ArrayDeque stack = new ArrayDeque();
    stack.push(root);
    while (!stack.isEmpty()) {
      Expression e = (Expression) stack.pop();
      if (e instanceof Literal) {
        Object value = ((Literal) e).value();
        if (value != null && !to.contains(value.toString())) to.add(value.toString());
        if (to.size() > MAX_TOPICS) return false;
      } else if (e instanceof Cast) stack.push(e.children().apply(0));
      else if (e instanceof If || e instanceof CaseWhen) {
        int n = e.children().size();
        for (int i = 0; i < n; i++) {
          boolean isValue = e instanceof If ? i > 0 : i % 2 == 1 || i == n - 1;
          if (isValue) stack.push(e.children().apply(i));
        }
      } else return false;
    }
    return true;
  }
}
