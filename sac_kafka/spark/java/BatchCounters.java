package sackafka;

import java.util.ArrayList;
import java.util.List;

/**
 * What the executions of a batch have counted, in the order of their ends: of each first its writing commands, then a writer
 * without a command. Python counts in the same order (`lineage/streams/batch.py`).
 */
public class BatchCounters {
  final List rows = new ArrayList(); // of Long; -1 where it was not counted
  final List files = new ArrayList();
  final List bytes = new ArrayList();

  /** Adds the counters of writing commands; a list that is shorter did not count the rest. */
  void add(String[] moreRows, String[] moreFiles, String[] moreBytes) {
    int most = Math.max(moreRows.length, Math.max(moreFiles.length, moreBytes.length));
    for (int i = 0; i < most; i++) {
      rows.add(at(moreRows, i));
      files.add(at(moreFiles, i));
      bytes.add(at(moreBytes, i));
    }
  }

  void add(BatchCounters later) {
    rows.addAll(later.rows);
    files.addAll(later.files);
    bytes.addAll(later.bytes);
  }

  private static Long at(String[] counted, int i) {
    return i < counted.length ? Long.valueOf(counted[i]) : Long.valueOf(-1);
  }
}
