package sackafka.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.connector.catalog.SupportsDelete;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A table with its rows: append, overwrite by filter and of partitions, truncate, delete by filter. */
class MemoryTable implements SupportsRead, SupportsWrite, SupportsDelete {
  private final String name;
  private final Transform[] partitions;
  private final Map<String, String> properties;
  private StructType schema;
  private List<Object[]> rows = new ArrayList<>(); // values in Spark's internal form, in the order of the schema

  MemoryTable(String name, StructType schema, Transform[] partitions, Map<String, String> properties) {
    this.name = name;
    this.schema = schema;
    this.partitions = partitions;
    this.properties = new TreeMap<>(properties);
  }

  MemoryTable renamed(String newName) {
    MemoryTable table = copy(newName, schema, partitions, properties);
    table.rows = rows;
    return table;
  }

  MemoryTable copy(String newName, StructType ofSchema, Transform[] by, Map<String, String> with) {
    return new MemoryTable(newName, ofSchema, by, with);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public StructType schema() {
    return schema;
  }

  @Override
  public Transform[] partitioning() {
    return partitions;
  }

  @Override
  public Map<String, String> properties() {
    return properties;
  }

  @Override
  public Set<TableCapability> capabilities() {
    Set<TableCapability> capabilities =
        EnumSet.of(
            TableCapability.BATCH_READ,
            TableCapability.BATCH_WRITE,
            TableCapability.TRUNCATE,
            TableCapability.OVERWRITE_BY_FILTER,
            TableCapability.OVERWRITE_DYNAMIC);
    if ("true".equals(properties.get("any-columns"))) capabilities.add(TableCapability.ACCEPT_ANY_SCHEMA);
    return capabilities;
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return new Reading(this);
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new Writing(this, info.schema());
  }

  @Override
  public boolean canDeleteWhere(Filter[] filters) {
    return Arrays.stream(filters).allMatch(Matching::isUnderstood);
  }

  @Override
  public void deleteWhere(Filter[] filters) {
    rows.removeIf(row -> Arrays.stream(filters).allMatch(f -> Matching.matches(f, schema, row)));
  }

  @Override
  public boolean truncateTable() {
    rows.clear();
    return true;
  }

  List<Object[]> rows() {
    return rows;
  }

  /** The positions of the columns that the table is partitioned by. */
  int[] partitionPositions() {
    return Arrays.stream(partitions)
        .map(t -> t.references()[0].fieldNames()[0])
        .mapToInt(column -> schema.fieldIndex(column))
        .toArray();
  }

  void change(TableChange change) {
    if (change instanceof TableChange.SetProperty) {
      TableChange.SetProperty set = (TableChange.SetProperty) change;
      properties.put(set.property(), set.value());
    } else if (change instanceof TableChange.RemoveProperty) {
      properties.remove(((TableChange.RemoveProperty) change).property());
    } else if (change instanceof TableChange.AddColumn) {
      TableChange.AddColumn added = (TableChange.AddColumn) change;
      StructField field = Columns.field(added.fieldNames()[0], added.dataType(), added.isNullable(), added.comment());
      schema = schema.add(field);
      rows.replaceAll(row -> Arrays.copyOf(row, row.length + 1));
    } else if (change instanceof TableChange.ColumnChange) {
      int at = schema.fieldIndex(((TableChange.ColumnChange) change).fieldNames()[0]);
      schema = Columns.changed(schema, at, (TableChange.ColumnChange) change);
      if (change instanceof TableChange.DeleteColumn) rows.replaceAll(row -> Columns.without(row, at));
    } else {
      throw new UnsupportedOperationException(change.getClass().getName());
    }
  }
}
