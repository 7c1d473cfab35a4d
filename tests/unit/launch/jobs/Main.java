package com.example;

import java.io.File;
import java.nio.file.Files;
import org.apache.spark.sql.SparkSession;

/** A main that knows nothing of the hook: Main FOLDER ENDING. It ends as ENDING says. */
public class Main {
  public static void main(String[] arguments) throws Exception {
    SparkSession spark = SparkSession.builder().appName("java-main").getOrCreate();
    spark.range(3).write().parquet(arguments[0] + "/out");
    System.out.println(Thread.currentThread().getName() + " " + spark.sparkContext().appName());
    String ending = arguments[1];
    if (ending.equals("two")) {
      spark.stop();
      SparkSession second = SparkSession.builder().appName("second").config("spark.extraListeners", "").getOrCreate();
      Thread.sleep(1500);
      second.range(3).write().parquet(arguments[0] + "/two");
    }
    if (ending.equals("kill")) {
      String[] command = {"sh", "-c", "kill -9 $(cat " + arguments[0] + "/pid); rm " + arguments[0] + "/pid"};
      Runtime.getRuntime().exec(command).waitFor();
      while (!isServed(spark, new File(arguments[0], "pid"))) Thread.sleep(50);
      spark.range(3).write().parquet(arguments[0] + "/again");
    }
    if (ending.equals("stand")) {
      Runtime.getRuntime().exec(new String[] {"sh", "-c", "kill -STOP $(cat " + arguments[0] + "/pid)"}).waitFor();
      spark.range(3).write().parquet(arguments[0] + "/again");
    }
    if (ending.equals("interrupt")) {
      String[] command = {"sh", "-c", "kill -INT $(cat " + arguments[0] + "/pid); kill -HUP $(cat " + arguments[0] + "/pid)"};
      Runtime.getRuntime().exec(command).waitFor();
      spark.range(3).write().parquet(arguments[0] + "/again");
    }
    if (ending.equals("wait")) {
      while (!new File(arguments[0], "go").exists()) Thread.sleep(50);
      spark.range(3).write().parquet(arguments[0] + "/again");
    }
    if (ending.equals("throw")) throw new IllegalArgumentException("the main's own error");
    if (ending.equals("stop")) spark.stop();
    if (ending.equals("exit")) System.exit(7);
    if (ending.equals("halt")) {
      File messages = new File(arguments[0], "messages.jsonl");
      while (!messages.exists() || !new String(Files.readAllBytes(messages.toPath())).contains("\"spark_process\"")) Thread.sleep(50);
      Runtime.getRuntime().halt(9);
    }
    if (ending.equals("thread")) new Thread(new Late(arguments[0])).start();
  }

  /** Whether the process in a file has a listener in this JVM. */
  static boolean isServed(SparkSession spark, File file) throws Exception {
    if (!file.exists()) return false;
    String pid = new String(Files.readAllBytes(file.toPath())).trim() + " ";
    for (Object each : spark.sparkContext().listenerBus().listeners()) {
      if (!each.getClass().getName().equals("sackafka.ProjectionListener")) continue;
      if (((String) each.getClass().getMethod("owner").invoke(each)).startsWith(pid)) return true;
    }
    return false;
  }

  static class Late implements Runnable {
    private final String folder;

    Late(String folder) {
      this.folder = folder;
    }

    public void run() {
      try {
        Thread.sleep(1000);
        SparkSession.active().range(3).write().parquet(folder + "/late");
        System.out.println("late");
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
