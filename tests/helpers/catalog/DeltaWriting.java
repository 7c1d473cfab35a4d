package sackafka.testing;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DeltaBatchWrite;
import org.apache.spark.sql.connector.write.DeltaWrite;
import org.apache.spark.sql.connector.write.DeltaWriteBuilder;
import org.apache.spark.sql.connector.write.DeltaWriter;
import org.apache.spark.sql.connector.write.DeltaWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;

/** A write of changes: the ids of the rows that go, and the rows that come. */
class DeltaWriting implements DeltaWriteBuilder, DeltaWrite, DeltaBatchWrite {
  private final MemoryTable table;
  private final StructType schema;
  private final StructType idSchema;

  DeltaWriting(MemoryTable table, StructType schema, StructType idSchema) {
    this.table = table;
    this.schema = schema;
    this.idSchema = idSchema;
  }

  @Override
  public DeltaWrite build() {
    return this;
  }

  @Override
  public DeltaBatchWrite toBatch() {
    return this;
  }

  @Override
  public DeltaWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
    return new Factory(schema, idSchema);
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    int at = table.schema().fieldIndex(RowLevelTable.ROW_ID);
    for (WriterCommitMessage message : messages)
      table.rows().removeIf(row -> ((Changed) message).gone.contains(row[at]));
    for (WriterCommitMessage message : messages) table.rows().addAll(((Changed) message).come);
  }

  @Override
  public void abort(WriterCommitMessage[] messages) {}

  private static class Changed implements WriterCommitMessage {
    final List<Object> gone = new ArrayList<>();
    final List<Object[]> come = new ArrayList<>();
  }

  private static class Factory implements DeltaWriterFactory {
    private final StructType schema;
    private final StructType idSchema;

    Factory(StructType schema, StructType idSchema) {
      this.schema = schema;
      this.idSchema = idSchema;
    }

    @Override
    public DeltaWriter<InternalRow> createWriter(int partition, long task) {
      return new Writer(schema, idSchema);
    }
  }

  private static class Writer implements DeltaWriter<InternalRow> {
    private final StructType schema;
    private final StructType idSchema;
    private final Changed changed = new Changed();

    Writer(StructType schema, StructType idSchema) {
      this.schema = schema;
      this.idSchema = idSchema;
    }

    @Override
    public void delete(InternalRow metadata, InternalRow id) {
      changed.gone.add(Writing.values(id, idSchema)[0]);
    }

    @Override
    public void update(InternalRow metadata, InternalRow id, InternalRow row) {
      delete(metadata, id);
      insert(row);
    }

    @Override
    public void insert(InternalRow row) {
      changed.come.add(Writing.values(row, schema));
    }

    @Override
    public WriterCommitMessage commit() {
      return changed;
    }

    @Override
    public void abort() {}

    @Override
    public void close() {}
  }
}
