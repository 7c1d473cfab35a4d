package sackafka;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A micro-batch that has begun: what of it is held back. */
public class OpenBatch {
  final long root;
  final String runId;
  final NewIds ids;
  final List executions = new ArrayList(); // of Long
  final List starts = new ArrayList(); // lines
  final List ends = new ArrayList(); // lines
  final List read = new ArrayList(); // of PlanDigest, of these
  final BatchCounters counters = new BatchCounters();
  long micros = 0; // of their projecting
  int chars = 0; // of starts and ends
  /** It cannot be one that is known. */
  boolean isNew = false;

  OpenBatch(long root, String runId, Set reportedRdds) {
    this.root = root;
    this.runId = runId;
    this.ids = new NewIds(reportedRdds);
  }

  /** What all of it says. */
  String digest() {
    String rdd = rdd();
    StringBuilder content = new StringBuilder(runId);
    for (int i = 0; i < read.size(); i++) {
      PlanDigest each = (PlanDigest) read.get(i);
      content.append(each.digest(!isOver(rdd, each.leaves())));
    }
    return PlanDigest.digest(content.toString());
  }

  /** The RDD by which a function gets the rows of the batch: the first with the batch's columns, else the first with their names. */
  private String rdd() {
    String[] output = ((PlanDigest) read.get(read.size() - 1)).output();
    for (int by = 0; by < 2 && output != null; by++) {
      for (int i = 0; i < read.size(); i++) {
        List leaves = ((PlanDigest) read.get(i)).leaves();
        for (int k = 0; k < leaves.size(); k++) {
          String[] leaf = (String[]) leaves.get(k);
          if (leaf[by + 1].equals(output[by])) return leaf[0];
        }
      }
    }
    return null;
  }

  /** Whether all leaves are over this RDD: what the batch reads its root says. */
  private static boolean isOver(String rdd, List leaves) {
    for (int i = 0; i < leaves.size(); i++) if (rdd == null || !rdd.equals(((String[]) leaves.get(i))[0])) return false;
    return rdd != null;
  }

  /** What is held back, which then no longer is. */
  List lines() {
    List lines = new ArrayList(starts);
    lines.addAll(ends);
    starts.clear();
    ends.clear();
    chars = 0;
    return lines;
  }
}
