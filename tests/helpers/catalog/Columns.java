package sackafka.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Changes of the columns of a table; only of those on the top level. */
final class Columns {
  private Columns() {}

  static StructField field(String name, DataType type, boolean nullable, String comment) {
    StructField field = new StructField(name, type, nullable, Metadata.empty());
    return comment == null ? field : field.withComment(comment);
  }

  static StructType changed(StructType schema, int at, TableChange.ColumnChange change) {
    List<StructField> fields = new ArrayList<>(Arrays.asList(schema.fields()));
    StructField f = fields.get(at);
    String comment = f.getComment().isDefined() ? f.getComment().get() : null;
    if (change instanceof TableChange.DeleteColumn) fields.remove(at);
    else if (change instanceof TableChange.RenameColumn)
      fields.set(at, field(((TableChange.RenameColumn) change).newName(), f.dataType(), f.nullable(), comment));
    else if (change instanceof TableChange.UpdateColumnComment)
      fields.set(at, field(f.name(), f.dataType(), f.nullable(), ((TableChange.UpdateColumnComment) change).newComment()));
    else if (change instanceof TableChange.UpdateColumnType)
      fields.set(at, field(f.name(), ((TableChange.UpdateColumnType) change).newDataType(), f.nullable(), comment));
    else if (change instanceof TableChange.UpdateColumnNullability)
      fields.set(at, field(f.name(), f.dataType(), ((TableChange.UpdateColumnNullability) change).nullable(), comment));
    else throw new UnsupportedOperationException(change.getClass().getName());
    return new StructType(fields.toArray(new StructField[0]));
  }

  static Object[] without(Object[] row, int at) {
    Object[] rest = new Object[row.length - 1];
    System.arraycopy(row, 0, rest, 0, at);
    System.arraycopy(row, at + 1, rest, at, rest.length - at);
    return rest;
  }
}
