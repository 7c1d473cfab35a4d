package sackafkatest;

import java.io.FileWriter;
import java.util.Collections;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.util.QueryExecutionListener;

/** All that users hang into a driver: a plugin, a listener of the bus, one of queries. Each says in a file what it saw. */
public class Crowd {
  static synchronized void saw(String what) {
    try (FileWriter file = new FileWriter(System.getProperty("crowd.file"), true)) {
      file.write(what + "\n");
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  public static class Plugin implements SparkPlugin {
    public DriverPlugin driverPlugin() {
      return new DriverPlugin() {
        public Map<String, String> init(SparkContext context, PluginContext plugin) {
          saw("plugin");
          return Collections.emptyMap();
        }
      };
    }

    public ExecutorPlugin executorPlugin() {
      return null;
    }
  }

  public static class Bus extends SparkListener {
    public void onOtherEvent(SparkListenerEvent event) {
      if (event.getClass().getSimpleName().equals("SparkListenerSQLExecutionEnd")) saw("execution");
    }

    public void onApplicationEnd(SparkListenerApplicationEnd end) {
      saw("end");
    }
  }

  /** Walks the plan as lineage agents do, and fails, as some do: Spark logs that. */
  public static class Queries implements QueryExecutionListener {
    public void onSuccess(String function, QueryExecution query, long nanos) {
      saw("query");
      if (query.analyzed().toString().length() > 0) throw new IllegalStateException("an agent that fails");
    }

    public void onFailure(String function, QueryExecution query, Exception error) {}
  }
}
