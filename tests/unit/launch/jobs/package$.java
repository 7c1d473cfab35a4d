package org.apache.spark;

/** In place of Spark's own class: creates the jar's listener in a JVM whose Spark says that it has these versions, one after the other. */
public final class package$ {
  public static final package$ MODULE$ = new package$();

  private package$() {}

  public String SPARK_VERSION() {
    return System.getProperty("version");
  }

  public static void main(String[] arguments) throws Exception {
    for (String version : arguments) {
      System.setProperty("version", version);
      Class.forName("sackafka.driver.LineageListener").getConstructor(SparkConf.class).newInstance(new SparkConf(false));
    }
    System.out.println("created");
  }
}
