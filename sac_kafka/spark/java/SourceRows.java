package sackafka;

/** The rows that batches have read of a source, which says itself what it is: named as in Spark's own progress. */
public class SourceRows {
  private final String description;
  private long rows = 0;

  SourceRows(String description) {
    this.description = description;
  }

  void add(long more) {
    rows += more;
  }

  public String description() {
    return description;
  }

  public long numInputRows() {
    return rows;
  }
}
