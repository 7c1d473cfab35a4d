package sackafka;

import java.util.List;

/** What one scan of an executed plan counted; null for what it did not. */
public class ScanFigures {
  private final List leaves;
  private final int write;
  private final Long rows;
  private final Long files;
  private final Long bytes;

  public ScanFigures(List leaves, int write, Long rows, Long files, Long bytes) {
    this.leaves = leaves;
    this.write = write;
    this.rows = rows;
    this.files = files;
    this.bytes = bytes;
  }

  /** The leaves of the analyzed plan that the scan may belong to: one, except for indistinguishable leaves. */
  public List leaves() {
    return leaves;
  }

  /** The position of the writing command that it is for, -1 for none. */
  public Integer write() {
    return Integer.valueOf(write);
  }

  public Long rows() {
    return rows;
  }

  public Long files() {
    return files;
  }

  public Long bytes() {
    return bytes;
  }
}
