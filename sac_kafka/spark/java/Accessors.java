package sackafka;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogEvent;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.aggregate.PivotFirst;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import org.apache.spark.sql.catalyst.trees.Origin;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;

/** Reads what the accessors of the specification name, and knows which steps are the listener's own (@name). */
public class Accessors {
  private static final List OWN = Arrays.asList(new Object[] {"@ownName", "@inputs", "@delegates", "@outputs"});

  private final Specification specification;
  private final Definitions definitions;
  private final Texts texts;
  private final Records records;
  private final Constants constants;
  private final Watch watch;
  private final Scans scans;
  private final Jobs jobs;
  private boolean failed = false;
  private QueryExecution execution; // of the event, null where it has none
  private long executionId;
  private String event;
  private LogicalPlan asked; // the last node that was asked what it reads
  private List inputs;

  public Accessors(
      Specification specification, Definitions definitions, Texts texts, Records records, Constants constants, Scans scans, Jobs jobs) {
    this.specification = specification;
    this.definitions = definitions;
    this.texts = texts;
    this.records = records;
    this.constants = constants;
    this.watch = new Watch(records);
    this.scans = scans;
    this.jobs = jobs;
  }

  /** The event that is read from now on: of an execution that failed nothing may be planned. */
  public void begin(Object event) {
    this.event = event.getClass().getName();
    watch.begin();
    if (event instanceof SparkListenerSQLExecutionStart) jobs.modes.started((SparkListenerSQLExecutionStart) event);
    failed = event instanceof SparkListenerSQLExecutionEnd && ((SparkListenerSQLExecutionEnd) event).executionFailure().isDefined();
    execution = event instanceof SparkListenerSQLExecutionEnd ? ((SparkListenerSQLExecutionEnd) event).qe() : null;
    executionId = event instanceof SparkListenerSQLExecutionEnd ? ((SparkListenerSQLExecutionEnd) event).executionId() : -1;
  }

  /** The value of the first alternative that exists; null, and a note, if none exists or it fails. */
  public Object read(Object o, Specification.Accessor a) {
    if (!a.watched) return value(o, a);
    long start = System.nanoTime();
    Object v = value(o, a);
    if (System.nanoTime() - start > Watch.SLOW_NANOS) watch.slow(o, a.name);
    return v;
  }

  private Object value(Object o, Specification.Accessor a) {
    for (int i = 0; i < a.paths.size(); i++) {
      String[] path = (String[]) a.paths.get(i);
      try {
        Object v = o;
        for (int k = 0; k < path.length && v != null; k++) v = Containers.unwrap(step(v, path[k]));
        return v;
      } catch (NoSuchMethodException e) {
        continue;
      } catch (Throwable e) {
        records.note("accessor failed: " + o.getClass().getName() + "." + a.name + ": " + e.getClass().getName());
        return null;
      }
    }
    records.note("accessor missing: " + o.getClass().getName() + "." + a.name);
    return null;
  }

  private Object step(Object o, String step) throws Throwable {
    if (failed && step.equals("analyzed") && o instanceof QueryExecution && !Planned.isAnalyzed((QueryExecution) o)) return null;
    if (step.charAt(0) != '@') return specification.step(o, step);
    if (step.equals("@none")) return null; // what this Spark does not have
    if (step.equals("@streamOf")) return StreamOf.of((String) o);
    if (step.equals("@isThere")) return Boolean.TRUE;
    if (step.equals("@sqlText")) return sqlText((LogicalPlan) o);
    if (step.equals("@call")) return failed ? null : ProcedureCall.of((QueryExecution) o, called((QueryExecution) o), specification);
    if (step.equals("@viewText")) return viewText((CatalogTable) o);
    if (step.equals("@definition")) return definitions.of((ExternalCatalogEvent) o);
    if (step.equals("@isLookedUp")) return Boolean.valueOf(definitions.looksUp());
    if (step.equals("@rowsWritten")) return written((QueryExecution) o, "numOutputRows");
    if (step.equals("@filesWritten")) return written((QueryExecution) o, "numFiles");
    if (step.equals("@bytesWritten")) return written((QueryExecution) o, "numOutputBytes");
    if (step.equals("@counted")) return counted((SparkListenerSQLExecutionEnd) o);
    if (step.equals("@scans")) return failed ? null : scans.of((QueryExecution) o);
    if (step.equals("@jobs")) return jobs.of(((SparkListenerSQLExecutionEnd) o).executionId());
    if (step.equals("@sessionNames")) return Steps.sessionNames((QueryExecution) o);
    if (step.equals("@path")) return execution == null ? null : Locations.of(o, specification, execution);
    if (step.equals("@asPath")) return Locations.ofName(o.toString());
    if (step.equals("@partitionLocations")) return PartitionLocations.of(o, specification);
    if (step.equals("@rootPaths")) return Locations.roots((HadoopFsRelation) o, execution);
    if (step.equals("@modelPath")) return Locations.ofModel(specification.step(o, "path").toString());
    if (step.equals("@isDynamicOverwrite"))
      return execution == null ? null : jobs.modes.isDynamic((InsertIntoHadoopFsRelationCommand) o, executionId, execution);
    if (step.equals("@isPartial")) return execution == null ? null : jobs.modes.isPartial(o, executionId, execution);
    if (step.equals("@tableName")) return Steps.tableName((JDBCOptions) o);
    if (step.equals("@query")) return Steps.query((JDBCOptions) o);
    if (step.equals("@queryText")) return texts.foreign(((JDBCOptions) o).url(), Steps.queryText((JDBCOptions) o));
    if (step.equals("@topics")) return Steps.topics((LogicalPlan) o, specification);
    if (step.equals("@offsetTopics")) return StreamParts.topics(o, specification);
    if (step.equals("@streamPath")) return StreamParts.path((LogicalPlan) o, specification.step(o, "relation"), execution);
    if (step.equals("@literal")) return constants.of((Literal) o);
    if (step.equals("@formats")) return constants.formats((Expression) o);
    if (step.equals("@pivotValues")) return constants.ofPivot((PivotFirst) o);
    if (step.equals("@ownOptions")) return OwnOptions.of(o);
    if (step.equals("@isWritten")) return Boolean.valueOf(Steps.isWritten((Cast) o));
    if (OWN.contains(step)) return own(o, step);
    if (step.equals("@rddRows")) return RddRows.of((RDD) specification.step(o, "rdd"), specification);
    if (step.equals("@checkpointRdd")) return Steps.checkpointRdd((SparkListenerSQLExecutionEnd) o, jobs);
    if (step.equals("@rddId")) return Steps.rddId((SparkListenerSQLExecutionEnd) o);
    if (step.equals("@written")) return Containers.written((LogicalPlan) o);
    throw new NoSuchMethodException(step);
  }

  /** What a connector says itself: its code, which may take its time and throw whatever it likes. */
  private Object own(Object o, String step) {
    long start = System.nanoTime();
    Object by = o instanceof SaveIntoDataSourceCommand ? ((SaveIntoDataSourceCommand) o).dataSource() : o;
    try {
      OwnNames names = specification.ownNames;
      if (step.equals("@ownName"))
        return by == o ? names.ofRelation(o, event) : names.ofProvider((SaveIntoDataSourceCommand) o, execution, event);
      LogicalPlan node = (LogicalPlan) o;
      if (step.equals("@outputs")) return Containers.only(names.outputs(node, event), false);
      if (asked != node) {
        asked = node;
        inputs = null;
        inputs = names.inputs(node, event);
      }
      return inputs == null ? null : Containers.only(inputs, step.equals("@delegates"));
    } catch (Throwable e) {
      records.note("own name failed: " + by.getClass().getName() + ": " + e.getClass().getName());
      return null;
    } finally {
      if (System.nanoTime() - start > Watch.SLOW_NANOS) watch.slow(by, step.substring(1));
    }
  }

  /** Of a write without a command in its plan: the metrics of a command say the same. */
  private Object counted(SparkListenerSQLExecutionEnd end) {
    return failed || execution == null || isCommand(execution) ? null : jobs.counts.of(end.executionId());
  }

  private Object written(QueryExecution qe, String metric) {
    if (failed) return Planned.hasExecutedPlan(qe) && Steps.isMultiInsert(qe) ? Steps.written(qe, metric, true) : null;
    return isCommand(qe) ? Steps.written(qe, metric, false) : null;
  }

  /** What has run is planned: only then asking for the executed plan plans nothing. */
  private boolean isCommand(QueryExecution qe) {
    definitions.remember(qe.sparkSession());
    if (failed) return false;
    LogicalPlan p = qe.analyzed();
    return p instanceof Command || p instanceof Union || p instanceof WithCTE;
  }

  /** The text of a view; none of a metric view, which is YAML: the rules of SQL cannot find its literals. */
  private String viewText(CatalogTable of) {
    return of.tableType().name().equals("METRIC_VIEW") ? null : texts.statement((String) Containers.unwrap(of.viewText()));
  }

  /** The text of the statement, masked. */
  private String sqlText(LogicalPlan root) {
    Origin of = failed ? null : statement(root);
    if (of == null) return null;
    String text = (String) of.sqlText().get();
    String all = texts.statement(text);
    String one = texts.statement(statement(of));
    return all.contains(one) ? one : all; // a cut within a literal would show what is left of it
  }

  /** The text of a statement that begins with CALL, with its literals; else null. */
  private static String called(QueryExecution qe) {
    Origin of = qe.analyzed() instanceof Command ? null : statement(qe.analyzed()); // Spark 4 has run it already
    if (of == null) return null;
    String text = statement(of);
    int at = 0;
    for (int last = -1; last != at; ) {
      last = at;
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
      if (text.startsWith("--", at)) at = Ends.ofLine(text, at);
      else if (text.startsWith("/*", at)) at = Ends.ofComment(text, at);
    }
    return text.regionMatches(true, at, "call", 0, 4) ? text : null;
  }

  private static String statement(Origin of) {
    String text = (String) of.sqlText().get();
    return of.startIndex().isEmpty() ? text : Scripts.statement(text, ((Integer) of.startIndex().get()).intValue());
  }

  /** Where the statement is: of the command, else of its query; null within a view, and for the DataFrame API over some statement. */
  private static Origin statement(LogicalPlan root) {
    LogicalPlan p = root;
    while (p != null && !(p instanceof View)) {
      if (p.origin().sqlText().isDefined()) return p.origin();
      if (!(p instanceof Command) && !(p instanceof Project)) return null;
      p = madeOf(p);
    }
    return null;
  }

  /** The command that a connector's own stands for, where it keeps it (Hudi's UPDATE, MERGE), else what is below the plan. */
  private static LogicalPlan madeOf(LogicalPlan p) {
    scala.collection.Iterator fields = p instanceof Command ? ((scala.Product) p).productIterator() : null;
    while (fields != null && fields.hasNext()) {
      Object field = fields.next();
      if (field instanceof Command) return (LogicalPlan) field;
    }
    List below = new ArrayList();
    Containers.plans(p.children(), below);
    Containers.plans(p.innerChildren(), below);
    return below.size() == 1 ? (LogicalPlan) below.get(0) : null;
  }
}
