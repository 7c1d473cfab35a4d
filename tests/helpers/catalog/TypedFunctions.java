package sackafka.testing;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.function.CoGroupFunction;
import org.apache.spark.api.java.function.FilterFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.MapGroupsFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.api.java.function.ReduceFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.KeyValueGroupedDataset;
import org.apache.spark.sql.Row;
import scala.Tuple2;

/** Typed operations of Datasets, which Python has none of; the functions need a class that executors can load. */
public class TypedFunctions {
  private static final Encoder<String> STRING = Encoders.STRING();

  private TypedFunctions() {}

  public static Dataset<Row> mapped(Dataset<Row> strings) {
    return strings.as(STRING).map((MapFunction<String, String>) String::toUpperCase, STRING).toDF("who");
  }

  public static Dataset<Row> filtered(Dataset<Row> longs) {
    return longs.as(Encoders.LONG()).filter((FilterFunction<Long>) id -> id > 1).toDF("id");
  }

  public static Dataset<Row> partitioned(Dataset<Row> pairs) {
    Encoder<Tuple2<Long, Double>> pair = Encoders.tuple(Encoders.LONG(), Encoders.DOUBLE());
    MapPartitionsFunction<Tuple2<Long, Double>, Tuple2<Long, Double>> same =
        rows -> {
          List<Tuple2<Long, Double>> all = new ArrayList<>();
          rows.forEachRemaining(all::add);
          return all.iterator();
        };
    return pairs.as(pair).mapPartitions(same, pair).toDF("a", "b");
  }

  private static KeyValueGroupedDataset<String, String> grouped(Dataset<Row> strings) {
    return strings.as(STRING).groupByKey((MapFunction<String, String>) s -> s.substring(0, 1), STRING);
  }

  public static Dataset<Row> groups(Dataset<Row> strings) {
    return grouped(strings).mapGroups((MapGroupsFunction<String, String, String>) (key, rows) -> key, STRING).toDF("k");
  }

  public static Dataset<Row> counted(Dataset<Row> strings) {
    return grouped(strings).count().toDF("k", "n");
  }

  public static Dataset<Row> reduced(Dataset<Row> strings) {
    return grouped(strings).reduceGroups((ReduceFunction<String>) (a, b) -> a).toDF("k", "v");
  }

  public static Dataset<Row> cogrouped(Dataset<Row> left, Dataset<Row> right) {
    CoGroupFunction<String, String, String, String> keys = (key, l, r) -> List.of(key).iterator();
    return grouped(left).cogroup(grouped(right), keys, STRING).toDF("k");
  }
}
