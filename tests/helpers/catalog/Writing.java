package sackafka.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsDynamicOverwrite;
import org.apache.spark.sql.connector.write.SupportsOverwrite;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;

/** A write whose rows come to the driver with the commit; what they replace goes then. */
class Writing implements WriteBuilder, SupportsOverwrite, SupportsDynamicOverwrite, Write, BatchWrite {
  private final MemoryTable table;
  private final StructType schema; // of the rows that are written
  private Filter[] replaced;
  private boolean replacesPartitions;

  Writing(MemoryTable table, StructType schema) {
    this.table = table;
    this.schema = schema;
  }

  @Override
  public WriteBuilder overwrite(Filter[] filters) {
    replaced = filters;
    return this;
  }

  @Override
  public WriteBuilder overwriteDynamicPartitions() {
    replacesPartitions = true;
    return this;
  }

  @Override
  public Write build() {
    return this;
  }

  @Override
  public BatchWrite toBatch() {
    return this;
  }

  @Override
  public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
    return new Factory(schema);
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    List<Object[]> written = new ArrayList<>();
    for (WriterCommitMessage message : messages) written.addAll(((Written) message).rows);
    if (replaced != null) table.deleteWhere(replaced);
    if (replacesPartitions) {
      int[] by = table.partitionPositions();
      table.rows().removeIf(old -> written.stream().anyMatch(row -> isSamePartition(old, row, by)));
    }
    table.rows().addAll(written);
  }

  @Override
  public void abort(WriterCommitMessage[] messages) {}

  private static boolean isSamePartition(Object[] old, Object[] row, int[] by) {
    return Arrays.stream(by).allMatch(i -> java.util.Objects.equals(old[i], row[i]));
  }

  /** The values of a row, its own. */
  static Object[] values(InternalRow row, StructType schema) {
    InternalRow copy = row.copy();
    Object[] values = new Object[schema.length()];
    for (int i = 0; i < values.length; i++) values[i] = copy.get(i, schema.fields()[i].dataType());
    return values;
  }

  private static class Written implements WriterCommitMessage {
    final List<Object[]> rows;

    Written(List<Object[]> rows) {
      this.rows = rows;
    }
  }

  private static class Factory implements DataWriterFactory {
    private final StructType schema;

    Factory(StructType schema) {
      this.schema = schema;
    }

    @Override
    public DataWriter<InternalRow> createWriter(int partition, long task) {
      return new Writer(schema);
    }
  }

  private static class Writer implements DataWriter<InternalRow> {
    private final StructType schema;
    private final List<Object[]> rows = new ArrayList<>();

    Writer(StructType schema) {
      this.schema = schema;
    }

    @Override
    public void write(InternalRow row) {
      rows.add(values(row, schema));
    }

    @Override
    public WriterCommitMessage commit() {
      return new Written(rows);
    }

    @Override
    public void abort() {}

    @Override
    public void close() {}
  }
}
