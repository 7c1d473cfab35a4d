// A job of typed Datasets: what Scala code compiles to is opaque, so its columns depend on all that the function gets.
import org.apache.spark.sql.{Dataset, Encoder, Encoders, SparkSession}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.expressions.{Aggregator, Window}

case class Order(id: Long, customer: String, amount: Double)
case class Customer(name: String, country: String)
case class Total(country: String, total: Double)

object SumOf extends Aggregator[Double, Double, Double] {
  def zero = 0.0
  def reduce(b: Double, a: Double) = b + a
  def merge(a: Double, b: Double) = a + b
  def finish(r: Double) = r
  def bufferEncoder: Encoder[Double] = Encoders.scalaDouble
  def outputEncoder: Encoder[Double] = Encoders.scalaDouble
}

object TypedOrders {
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder.appName("scala-orders").getOrCreate()
    import spark.implicits._
    val work = args(0)
    Seq(Order(1, "a", 2.0), Order(2, "b", 3.0), Order(3, "a", 4.0)).toDS.write.mode("overwrite").saveAsTable("orders")
    Seq(Customer("a", "DE"), Customer("b", "FR")).toDS.write.mode("overwrite").saveAsTable("customers")
    val orders: Dataset[Order] = spark.table("orders").as[Order]
    val customers = spark.table("customers").as[Customer]
    orders.filter(_.amount > 2).map(o => o.copy(amount = o.amount * 2)).write.mode("overwrite").saveAsTable("doubled")
    orders.joinWith(customers, orders("customer") === customers("name")).map { case (o, c) => Total(c.country, o.amount) }
      .groupByKey(_.country).mapGroups { (country, rows) => Total(country, rows.map(_.total).sum) }
      .write.mode("overwrite").saveAsTable("totals")
    val shout = udf((s: String) => s.toUpperCase)
    spark.udf.register("sum_of", udaf(SumOf))
    orders.withColumn("loud", shout($"customer")).withColumn("n", row_number().over(Window.partitionBy("customer").orderBy($"amount".desc)))
      .write.mode("overwrite").parquet(s"$work/loud")
    spark.sql("insert into totals select customer, sum_of(amount) from orders group by customer")
    orders.rdd.map(o => (o.customer, o.amount)).reduceByKey(_ + _).toDF("customer", "sum").write.mode("overwrite").parquet(s"$work/from_rdd")
    orders.mapPartitions(rows => rows.map(_.id)).toDF("id").union(spark.range(3).toDF).write.mode("overwrite").parquet(s"$work/ids")
    println("totals " + spark.table("totals").count())
    spark.stop()
    sys.exit(4)
  }
}
