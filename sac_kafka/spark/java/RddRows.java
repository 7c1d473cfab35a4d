package sackafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.spark.rdd.HadoopRDD;
import org.apache.spark.rdd.NewHadoopRDD;
import org.apache.spark.rdd.RDD;

/**
 * What the rows of an RDD come from: the RDDs at the ends of its dependencies, the queries that RDDs were made of
 * (DataFrame.rdd) and the RDDs that a checkpoint has cut off, each with what is below it. Walks without recursion and a bounded
 * number of RDDs, when it is made: a checkpoint cuts their dependencies.
 */
public class RddRows {
  private static final String OF_QUERY = "org.apache.spark.sql.execution.SQLExecutionRDD";
  private static final String OF_FILES = "org.apache.spark.sql.execution.datasources.FileScanRDD";
  private static final int MAX_RDDS = 20000;
  private static final int MAX_STEPS = 16;
  private static final int MAX_READS = 10000;

  private final int rddId;
  private final Specification specification;
  private final List leaves = new ArrayList();
  private List reads = null; // made of the leaves when somebody asks: that may copy a configuration for each
  private final List queryIds = new ArrayList();
  private final List queries = new ArrayList();
  private boolean cut = false;

  private RddRows(int rddId, Specification specification) {
    this.rddId = rddId;
    this.specification = specification;
  }

  public static RddRows of(RDD rdd, Specification specification) {
    RddRows rows = new RddRows(rdd.id(), specification);
    IdentityHashMap known = new IdentityHashMap(); // of queries
    ArrayDeque waiting = new ArrayDeque(); // of queries, each after the RDDs above it
    int left = rows.walk(rdd, false, known, waiting, MAX_RDDS);
    while (!waiting.isEmpty()) {
      RDD query = (RDD) waiting.remove();
      RddRows below = new RddRows(query.id(), specification);
      left = below.walk(query, true, known, waiting, left);
      rows.cut |= below.cut;
      rows.queries.add(below);
    }
    return rows;
  }

  /** The query that an RDD was just made of; null where it was made of something else. */
  public static RDD queryOf(RDD made, Specification specification) {
    RDD rdd = made;
    for (int i = 0; i < MAX_STEPS; i++) {
      if (rdd.getClass().getName().equals(OF_QUERY)) return rdd;
      List parents = RddParents.of(rdd, specification);
      if (parents.size() != 1) return null;
      rdd = (RDD) parents.get(0);
    }
    return null;
  }

  private int walk(RDD first, boolean below, IdentityHashMap known, ArrayDeque waiting, int most) {
    int left = most;
    IdentityHashMap seen = new IdentityHashMap();
    Set kinds = new HashSet(); // classes of RDDs that are reported only by class
    ArrayDeque stack = new ArrayDeque();
    stack.push(first);
    while (!stack.isEmpty()) {
      RDD rdd = (RDD) stack.pop();
      if (seen.put(rdd, Boolean.TRUE) != null) continue;
      if (left-- <= 0 || leaves.size() + queryIds.size() >= MAX_READS) {
        cut = true;
        break;
      }
      if ((rdd.isCheckpointed() || rdd.getClass().getName().equals(OF_QUERY)) && !(below && rdd == first)) {
        queryIds.add(Integer.valueOf(rdd.id()));
        if (known.put(rdd, Boolean.TRUE) == null) waiting.add(rdd);
        continue;
      }
      List parents = RddParents.of(rdd, specification);
      for (int i = 0; i < parents.size(); i++) stack.push(parents.get(i));
      if (parents.isEmpty() && (isRead(rdd) || kinds.add(rdd.getClass()))) leaves.add(rdd);
    }
    return left;
  }

  private static boolean isRead(RDD rdd) {
    return rdd instanceof HadoopRDD || rdd instanceof NewHadoopRDD || rdd.getClass().getName().equals(OF_FILES);
  }

  private Object read(RDD rdd) {
    try {
      if (rdd instanceof HadoopRDD) return HadoopInput.of(rdd, ((HadoopRDD) rdd).getJobConf(), specification);
      if (rdd instanceof NewHadoopRDD) return HadoopInput.of(rdd, ((NewHadoopRDD) rdd).getConf(), specification);
      return isRead(rdd) ? ScannedFiles.of(rdd, specification) : (Object) rdd;
    } catch (Throwable closed) {
      return rdd; // its class says what is missing
    }
  }

  public int rddId() {
    return rddId;
  }

  public List reads() {
    if (reads == null) {
      reads = new ArrayList();
      for (int i = 0; i < leaves.size(); i++) reads.add(read((RDD) leaves.get(i)));
    }
    return reads;
  }

  /** The queries that are nearest, and the RDDs that were cut off. */
  public List queryIds() {
    return queryIds;
  }

  /** All queries that the rows come from; not the RDDs of a query. */
  public List queries() {
    return queries;
  }

  public boolean isCut() {
    return cut;
  }
}
