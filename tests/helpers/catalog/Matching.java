package sackafka.testing;

import java.util.Arrays;
import java.util.Objects;
import org.apache.spark.sql.sources.AlwaysTrue;
import org.apache.spark.sql.sources.And;
import org.apache.spark.sql.sources.EqualNullSafe;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.GreaterThan;
import org.apache.spark.sql.sources.In;
import org.apache.spark.sql.sources.IsNotNull;
import org.apache.spark.sql.sources.LessThan;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** The filters of sources that the tables of tests understand. */
final class Matching {
  private Matching() {}

  static boolean isUnderstood(Filter filter) {
    if (filter instanceof And) return isUnderstood(((And) filter).left()) && isUnderstood(((And) filter).right());
    return filter instanceof AlwaysTrue
        || filter instanceof EqualTo
        || filter instanceof EqualNullSafe
        || filter instanceof GreaterThan
        || filter instanceof LessThan
        || filter instanceof In
        || filter instanceof IsNotNull;
  }

  static boolean matches(Filter filter, StructType schema, Object[] row) {
    if (filter instanceof AlwaysTrue) return true;
    if (filter instanceof And)
      return matches(((And) filter).left(), schema, row) && matches(((And) filter).right(), schema, row);
    Object value = external(row[schema.fieldIndex(filter.references()[0])]);
    if (filter instanceof EqualNullSafe) return Objects.equals(value, ((EqualNullSafe) filter).value());
    if (value == null) return false;
    if (filter instanceof EqualTo) return value.equals(((EqualTo) filter).value());
    if (filter instanceof GreaterThan) return compare(value, ((GreaterThan) filter).value()) > 0;
    if (filter instanceof LessThan) return compare(value, ((LessThan) filter).value()) < 0;
    if (filter instanceof In) return Arrays.asList(((In) filter).values()).contains(value);
    return true; // IsNotNull
  }

  @SuppressWarnings("unchecked")
  private static int compare(Object value, Object other) {
    return ((Comparable<Object>) value).compareTo(other);
  }

  private static Object external(Object value) {
    return value instanceof UTF8String ? value.toString() : value;
  }
}
