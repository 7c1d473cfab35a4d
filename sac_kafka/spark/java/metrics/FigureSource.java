package sackafka.metrics;

import com.codahale.metrics.MetricRegistry;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.spark.SparkContext;
import org.apache.spark.metrics.MetricsSystem;
import org.apache.spark.metrics.source.Source;

/** The hook's figures as a source of the driver's metrics: Spark gives it its namespace, and its sinks read it. */
public class FigureSource implements Source {
  private final MetricsSystem system;
  private final MetricRegistry registry = new MetricRegistry();
  private final Figure[] figures;

  /** The names are separated by line feeds. */
  public FigureSource(SparkContext context, String names) throws Throwable {
    this.system = systemOf(context.env());
    String[] each = names.split("\n");
    this.figures = new Figure[each.length];
    for (int i = 0; i < each.length; i++) {
      figures[i] = new Figure();
      registry.register(each[i], figures[i]);
    }
  }

  /** By a handle on this one method: a private one of SparkEnv names classes that not every Spark brings along (protobuf). */
  private static MetricsSystem systemOf(Object environment) throws Throwable {
    MethodType type = MethodType.methodType(MetricsSystem.class);
    MethodHandle handle = MethodHandles.publicLookup().findVirtual(environment.getClass(), "metricsSystem", type);
    return (MetricsSystem) handle.invokeWithArguments(new Object[] {environment});
  }

  public String sourceName() {
    return "sac_kafka";
  }

  public MetricRegistry metricRegistry() {
    return registry;
  }

  public void start() {
    system.registerSource(this);
  }

  /** Takes the numbers in the order of the names, separated by line feeds. */
  public void show(String numbers) {
    String[] each = numbers.split("\n");
    for (int i = 0; i < each.length; i++) figures[i].set(each[i]);
  }

  public void close() {
    system.removeSource(this);
  }
}
