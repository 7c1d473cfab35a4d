package com.acme.spark;

import java.util.Collections;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.sources.TableScan;
import org.apache.spark.sql.types.StructType;

/** A table of one row. */
public class AcmeRelation extends BaseRelation implements TableScan, InsertableRelation {
  private final SQLContext context;
  private final String host;
  private final String table;

  AcmeRelation(SQLContext context, String host, String table) {
    this.context = context;
    this.host = host;
    this.table = table;
  }

  public String host() {
    return host;
  }

  public String tableName() {
    return table;
  }

  /** Takes its time, as one that asks a server does. */
  public String slow() throws InterruptedException {
    Thread.sleep(120);
    return table;
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
  public void insert(org.apache.spark.sql.Dataset<Row> data, boolean overwrite) {
    data.count();
  }
}
