package sackafka;

import java.util.ArrayList;
import java.util.List;

/**
 * What batches with the same content as an earlier one have counted: sums by the position of the counter. The positions are those
 * of the earlier batch, which was emitted and knows what each counter is of.
 */
public class RepeatedWrites {
  private final long execution;
  private int batches = 0;
  private List rows; // of Long; -1 where a batch did not count
  private List files;
  private List bytes;

  /** Batches like the one with this root execution. */
  RepeatedWrites(long execution) {
    this.execution = execution;
  }

  void add(BatchCounters counted) {
    add(1, counted.rows, counted.files, counted.bytes);
  }

  void add(RepeatedWrites later) {
    add(later.batches, later.rows, later.files, later.bytes);
  }

  private void add(int more, List moreRows, List moreFiles, List moreBytes) {
    rows = sum(rows, moreRows);
    files = sum(files, moreFiles);
    bytes = sum(bytes, moreBytes);
    batches += more;
  }

  /** The sums by position; empty, from then on, where a batch has other counters. */
  private static List sum(List all, List more) {
    if (all == null) return new ArrayList(more);
    if (all.size() != more.size()) return new ArrayList();
    List sums = new ArrayList();
    for (int i = 0; i < all.size(); i++) {
      long one = ((Long) all.get(i)).longValue();
      long other = ((Long) more.get(i)).longValue();
      sums.add(Long.valueOf(one < 0 || other < 0 ? -1 : one + other));
    }
    return sums;
  }

  public long execution() {
    return execution;
  }

  public int batches() {
    return batches;
  }

  public List rowsWritten() {
    return rows;
  }

  public List filesWritten() {
    return files;
  }

  public List bytesWritten() {
    return bytes;
  }
}
