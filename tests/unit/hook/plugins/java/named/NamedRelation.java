package com.acme.named;

import io.openlineage.spark.shade.client.utils.DatasetIdentifier;
import io.openlineage.spark.shade.client.OpenLineage;
import io.openlineage.spark.shade.extension.v1.LineageRelation;
import java.util.Collections;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.sources.TableScan;
import org.apache.spark.sql.types.StructType;

/** A table of one row that names its dataset itself, differently for some names. */
class NamedRelation extends BaseRelation implements TableScan, InsertableRelation, LineageRelation {
  private final SQLContext context;
  private final String table;

  NamedRelation(SQLContext context, String table) {
    this.context = context;
    this.table = table;
  }

  @Override
  public DatasetIdentifier getLineageDatasetIdentifier(String event, OpenLineage openLineage) {
    if (table.equals("fails")) throw new IllegalStateException("planted, password=hunter2zX9");
    if (table.equals("slow")) pause();
    return new DatasetIdentifier("shop.public." + table, "postgres://clerk:hunter2zX9@db1:5432");
  }

  private static void pause() {
    try {
      Thread.sleep(1000); // longer than a collection, which does not count
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public SQLContext sqlContext() {
    return context;
  }

  @Override
  public StructType schema() {
    return new StructType().add("id", "int").add("amount", "double");
  }

  @Override
  public RDD<Row> buildScan() {
    return JavaSparkContext.fromSparkContext(context.sparkContext()).parallelize(Collections.singletonList(RowFactory.create(1, 2.0))).rdd();
  }

  @Override
  public void insert(Dataset<Row> data, boolean overwrite) {
    data.count();
  }
}
