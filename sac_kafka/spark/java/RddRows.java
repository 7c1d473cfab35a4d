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
 * What the rows of an RDD come from: the RDDs at the ends of its dependencies, and the queries that RDDs were made of
 * (DataFrame.rdd), each with what is below it. Walks without recursion and a bounded number of RDDs.
 */
public class RddRows {
  private static final String OF_QUERY = "org.apache.spark.sql.execution.SQLExecutionRDD";
  private static final String OF_FILES = "org.apache.spark.sql.execution.datasources.FileScanRDD";
  private static final int MOST_RDDS = 20000;
  private static final int MOST_STEPS = 16;
  private static final int MOST_READS = 10000;

  private final int rddId;
  private final List reads = new ArrayList();
  private final List queryIds = new ArrayList();
  private final List queries = new ArrayList();
  private boolean cut = false;

  private RddRows(int rddId) {
    this.rddId = rddId;
  }

  public static RddRows of(RDD rdd, Specification specification) {
    RddRows rows = new RddRows(rdd.id());
    IdentityHashMap known = new IdentityHashMap(); // of queries
    ArrayDeque waiting = new ArrayDeque(); // of queries, each after the RDDs above it
    int left = rows.walk(rdd, false, known, waiting, specification, MOST_RDDS);
    while (!waiting.isEmpty()) {
      RDD query = (RDD) waiting.remove();
      RddRows below = new RddRows(query.id());
      left = below.walk(query, true, known, waiting, specification, left);
      rows.cut |= below.cut;
      rows.queries.add(below);
    }
    return rows;
  }

  /** The query that an RDD was just made of; null where it was made of something else. */
  public static RDD queryOf(RDD made, Specification specification) {
    RDD rdd = made;
    for (int i = 0; i < MOST_STEPS; i++) {
      if (rdd.getClass().getName().equals(OF_QUERY)) return rdd;
      List parents = RddParents.of(rdd, specification);
      if (parents.size() != 1) return null;
      rdd = (RDD) parents.get(0);
    }
    return null;
  }

  private int walk(RDD first, boolean below, IdentityHashMap known, ArrayDeque waiting, Specification specification, int most) {
    int left = most;
    IdentityHashMap seen = new IdentityHashMap();
    Set kinds = new HashSet(); // of RDDs of which nothing but their class is said
    ArrayDeque stack = new ArrayDeque();
    stack.push(first);
    while (!stack.isEmpty()) {
      RDD rdd = (RDD) stack.pop();
      if (seen.put(rdd, Boolean.TRUE) != null) continue;
      if (left-- <= 0 || reads.size() + queryIds.size() >= MOST_READS) {
        cut = true;
        break;
      }
      if (rdd.getClass().getName().equals(OF_QUERY) && !(below && rdd == first)) {
        queryIds.add(Integer.valueOf(rdd.id()));
        if (known.put(rdd, Boolean.TRUE) == null) waiting.add(rdd);
        continue;
      }
      List parents = RddParents.of(rdd, specification);
      for (int i = 0; i < parents.size(); i++) stack.push(parents.get(i));
      if (parents.isEmpty()) add(rdd, kinds, specification);
    }
    return left;
  }

  private void add(RDD rdd, Set kinds, Specification specification) {
    Object read = rdd;
    try {
      if (rdd instanceof HadoopRDD) read = HadoopInput.of(rdd, ((HadoopRDD) rdd).getJobConf(), specification);
      else if (rdd instanceof NewHadoopRDD) read = HadoopInput.of(rdd, ((NewHadoopRDD) rdd).getConf(), specification);
      else if (rdd.getClass().getName().equals(OF_FILES)) read = ScannedFiles.of(rdd, specification);
    } catch (Throwable closed) {
      read = rdd; // its class says what is missing
    }
    if (read != rdd || kinds.add(rdd.getClass())) reads.add(read);
  }

  public int rddId() {
    return rddId;
  }

  public List reads() {
    return reads;
  }

  /** The queries that are nearest. */
  public List queryIds() {
    return queryIds;
  }

  /** All queries, of the rows that were asked for; none of those of a query. */
  public List queries() {
    return queries;
  }

  public boolean isCut() {
    return cut;
  }
}
