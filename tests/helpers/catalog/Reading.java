package sackafka.testing;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.types.StructType;

/** A scan of all rows, of the columns that are wanted; a table has one partition. */
class Reading implements ScanBuilder, SupportsPushDownRequiredColumns, Scan, Batch {
  private final MemoryTable table;
  private StructType wanted;

  Reading(MemoryTable table) {
    this.table = table;
    this.wanted = table.schema();
  }

  @Override
  public void pruneColumns(StructType required) {
    wanted = required;
  }

  @Override
  public Scan build() {
    return this;
  }

  @Override
  public StructType readSchema() {
    return wanted;
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    int[] positions = new int[wanted.length()];
    for (int i = 0; i < positions.length; i++) positions[i] = table.schema().fieldIndex(wanted.fields()[i].name());
    Object[][] rows = new Object[table.rows().size()][];
    for (int r = 0; r < rows.length; r++) {
      rows[r] = new Object[positions.length];
      for (int i = 0; i < positions.length; i++) rows[r][i] = table.rows().get(r)[positions[i]];
    }
    return new InputPartition[] {new Rows(rows)};
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new Factory();
  }

  private static class Rows implements InputPartition {
    final Object[][] rows;

    Rows(Object[][] rows) {
      this.rows = rows;
    }
  }

  private static class Factory implements PartitionReaderFactory {
    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
      return new Reader(((Rows) partition).rows);
    }
  }

  private static class Reader implements PartitionReader<InternalRow> {
    private final Object[][] rows;
    private int at = -1;

    Reader(Object[][] rows) {
      this.rows = rows;
    }

    @Override
    public boolean next() {
      return ++at < rows.length;
    }

    @Override
    public InternalRow get() {
      return new GenericInternalRow(rows[at]);
    }

    @Override
    public void close() {}
  }
}
