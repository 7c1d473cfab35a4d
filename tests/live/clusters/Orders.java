package com.example;

import static org.apache.spark.sql.functions.sum;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The job of orders.py in Java, which knows nothing of the hook either: Orders LAKE [STATUS]. With a status it ends by System.exit. */
public class Orders {
  public static void main(String[] arguments) {
    String lake = arguments[0];
    SparkSession spark = SparkSession.builder().appName("orders").getOrCreate();
    spark.range(6).selectExpr("id AS order_id", "id * 10 AS amount", "id % 2 AS customer_id").write()
        .mode("overwrite").parquet(lake + "/orders");
    Dataset<Row> orders = spark.read().parquet(lake + "/orders");
    orders.groupBy("customer_id").agg(sum("amount")).toDF("customer_id", "total").write()
        .mode("overwrite").parquet(lake + "/totals");
    spark.read().parquet(lake + "/totals").where("total > 0").write().mode("overwrite").csv(lake + "/report");
    System.out.println("three writes");
    if (arguments.length > 1) System.exit(Integer.parseInt(arguments[1]));
  }
}
