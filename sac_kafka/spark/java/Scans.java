package sackafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.datasources.v2.V2TableWriteExec;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import org.apache.spark.sql.execution.ReusedSubqueryExec;
import org.apache.spark.util.AccumulatorV2;

/**
 * What the scans of an executed plan counted, and which leaves of the analyzed plan they are of: known by the ids of their
 * columns, else by the relation or table that both hold, its name in the catalog, or the paths of its files.
 */
public class Scans {
  private static final int MAX_NODES = 20000;
  private static final int MAX_SCANS = 1000;
  private static final String[] SOURCES = {"relation", "table"};
  private static final String[] FILES = {"numFiles", "resultDataFiles"}; // Spark's, Iceberg's
  private static final String[] BYTES = {"filesSize", "totalDataFileSize"};

  private final Specification specification;
  private final Records records;
  private final List leaves = new ArrayList(); // of LogicalPlan, of the event
  private IdentityHashMap bySource; // relation or table -> List of leaves, null until somebody asks
  private final Map byName = new HashMap(); // identifier in the catalog, or paths -> List of leaves
  private final Map byColumn = new HashMap(); // exprId -> List of leaves

  public Scans(Specification specification, Records records) {
    this.specification = specification;
    this.records = records;
  }

  /** A leaf of the analyzed plan. */
  public void leaf(LogicalPlan leaf) {
    leaves.add(leaf);
  }

  /** Reads a plan that was executed; never starts planning. */
  public List of(QueryExecution qe) {
    List found = new ArrayList();
    if (leaves.isEmpty() || !Planned.isPlanned(qe)) return found;
    IdentityHashMap seen = new IdentityHashMap();
    ArrayDeque stack = new ArrayDeque(); // of plans, each with the position of the write that it is below
    ArrayDeque below = new ArrayDeque();
    push(qe.executedPlan(), -1, stack, below, seen);
    int writes = 0;
    while (!stack.isEmpty()) {
      SparkPlan p = (SparkPlan) stack.pop();
      int write = ((Integer) below.pop()).intValue();
      if (p instanceof DataWritingCommandExec || p instanceof V2TableWriteExec) write = writes++;
      if (seen.size() > MAX_NODES || found.size() == MAX_SCANS) {
        records.note("scans cut");
        break;
      }
      List next = next(p);
      for (int i = next.size() - 1; i >= 0; i--) push(next.get(i), write, stack, below, seen);
      if (next.isEmpty() && !(p instanceof InMemoryTableScanExec)) scan(p, write, found);
    }
    return found;
  }

  private static void push(Object plan, int write, ArrayDeque stack, ArrayDeque below, IdentityHashMap seen) {
    if (seen.put(plan, Boolean.TRUE) != null) return; // a reused exchange is the one that ran
    stack.push(plan);
    below.push(Integer.valueOf(write));
  }

  /** The plans that one consists of, subqueries last; of an adaptive one that never ran nothing did. */
  private static List next(SparkPlan p) {
    List next = new ArrayList();
    if (p instanceof AdaptiveSparkPlanExec) {
      if (((AdaptiveSparkPlanExec) p).isFinalPlan()) next.add(((AdaptiveSparkPlanExec) p).executedPlan());
    } else if (p instanceof QueryStageExec) next.add(((QueryStageExec) p).plan());
    else if (p instanceof ReusedExchangeExec) next.add(((ReusedExchangeExec) p).child());
    else if (p instanceof ReusedSubqueryExec) next.add(((ReusedSubqueryExec) p).child());
    else {
      add(p.children(), next);
      add(p.subqueries(), next);
    }
    return next;
  }

  private static void add(Object plans, List to) {
    Iterator it = Containers.elements(plans);
    while (it.hasNext()) to.add(it.next());
  }

  private void scan(SparkPlan p, int write, List to) {
    Object source = null;
    for (int i = 0; i < SOURCES.length && source == null; i++) source = optional(p, SOURCES[i]);
    Long rows = metric(p, new String[] {"numOutputRows"});
    if (source == null || rows == null) return;
    List of = leavesOf(p, source);
    if (of.isEmpty()) records.note("scan of no leaf: " + p.getClass().getName());
    else to.add(new ScanFigures(of, write, rows, metric(p, FILES), metric(p, BYTES)));
  }

  private static Long metric(SparkPlan p, String[] names) {
    for (int i = 0; i < names.length; i++) {
      scala.Option known = p.metrics().get(names[i]);
      Object counted = known.isDefined() ? ((AccumulatorV2) known.get()).value() : null;
      if (counted instanceof Long && ((Long) counted).longValue() >= 0) return (Long) counted;
    }
    return null;
  }

  // ---- which leaf

  private List leavesOf(SparkPlan p, Object source) {
    if (bySource == null) bySource = indexed();
    List same = (List) bySource.get(source);
    if (same != null && same.size() == 1) return same;
    List byColumns = withColumns(p.output(), same);
    if (!byColumns.isEmpty()) return byColumns;
    if (same != null) return same;
    Object name = Containers.unwrap(optional(p, "tableIdentifier"));
    Object known = byName.get(name != null ? name : paths(source)); // the optimizer may have made another relation
    return known == null ? new ArrayList() : (List) known;
  }

  /** The leaves by their relation or table; by name those whose relation the optimizer may replace. */
  private IdentityHashMap indexed() {
    IdentityHashMap found = new IdentityHashMap();
    for (int i = 0; i < leaves.size(); i++) {
      LogicalPlan leaf = (LogicalPlan) leaves.get(i);
      Object source = sourceOf(leaf);
      if (source == null) continue;
      put(source, leaf, found);
      put(leaf, leaf, found);
      Object table = Containers.unwrap(optional(leaf, "catalogTable"));
      Object name = table == null ? paths(source) : optional(table, "identifier");
      if (name != null) put(name, leaf, byName);
      Iterator it = Containers.elements(leaf.output());
      while (it.hasNext()) put(id(it.next()), leaf, byColumn);
    }
    return found;
  }

  private static void put(Object key, LogicalPlan leaf, Map to) {
    List known = (List) to.get(key);
    if (known == null) to.put(key, known = new ArrayList(1));
    known.add(leaf);
  }

  /** Of some leaves, null for all, those that one of the columns is of. */
  private List withColumns(Object columns, List of) {
    IdentityHashMap found = new IdentityHashMap();
    Iterator it = Containers.elements(columns);
    while (it.hasNext()) {
      List known = (List) byColumn.get(id(it.next()));
      for (int i = 0; known != null && i < known.size(); i++)
        if (of == null || of.contains(known.get(i))) found.put(known.get(i), Boolean.TRUE);
    }
    return new ArrayList(found.keySet());
  }

  private static Long id(Object attribute) {
    return Long.valueOf(((Attribute) attribute).exprId().id());
  }

  private Object sourceOf(LogicalPlan leaf) {
    if (leaf instanceof DataSourceV2ScanRelation) return ((DataSourceV2ScanRelation) leaf).relation().table();
    if (leaf instanceof DataSourceV2Relation) return ((DataSourceV2Relation) leaf).table();
    if (leaf instanceof LogicalRelation) return ((LogicalRelation) leaf).relation();
    return leaf instanceof HiveTableRelation ? leaf : null;
  }

  private static Set paths(Object source) {
    if (!(source instanceof HadoopFsRelation)) return null;
    Set paths = new HashSet();
    Iterator it = Containers.elements(((HadoopFsRelation) source).location().rootPaths());
    while (it.hasNext()) paths.add(it.next());
    return paths;
  }

  private Object optional(Object o, String step) {
    try {
      return specification.step(o, step);
    } catch (Throwable none) {
      return null;
    }
  }
}
