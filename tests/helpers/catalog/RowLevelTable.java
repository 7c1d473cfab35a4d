package sackafka.testing;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.DeltaWriteBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.SupportsDelta;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.sources.AlwaysTrue;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A table that takes UPDATE, MERGE and DELETE; its rows are known by the column `pk` where it supports deltas. */
class RowLevelTable extends MemoryTable implements SupportsRowLevelOperations {
  static final String ROW_ID = "pk";

  RowLevelTable(String name, StructType schema, Transform[] partitions, Map<String, String> properties) {
    super(name, schema, partitions, properties);
  }

  @Override
  MemoryTable copy(String newName, StructType ofSchema, Transform[] by, Map<String, String> with) {
    return new RowLevelTable(newName, ofSchema, by, with);
  }

  @Override
  public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
    boolean hasDeltas = "true".equals(properties().get("supports-deltas"));
    return () -> hasDeltas ? new Delta(info.command(), this) : new Replacement(info.command(), this);
  }

  /** Copy-on-write: all rows are read, and replaced by those that are written. */
  private static class Replacement implements RowLevelOperation {
    final MemoryTable table;
    private final Command command;

    Replacement(Command command, MemoryTable table) {
      this.command = command;
      this.table = table;
    }

    @Override
    public Command command() {
      return command;
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
      return new Reading(table);
    }

    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
      return new Writing(table, info.schema()).overwrite(new Filter[] {new AlwaysTrue()});
    }
  }

  /** Merge-on-read: the rows that change are written, with their ids. */
  private static class Delta extends Replacement implements SupportsDelta {
    Delta(Command command, MemoryTable table) {
      super(command, table);
    }

    @Override
    public NamedReference[] rowId() {
      return new NamedReference[] {Expressions.column(ROW_ID)};
    }

    @Override
    public DeltaWriteBuilder newWriteBuilder(LogicalWriteInfo info) {
      return new DeltaWriting(table, info.schema(), info.rowIdSchema().get());
    }
  }
}
