package sackafka.driver;

import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;

/**
 * The value of spark.extraListeners for drivers that start no Python: Spark creates it with each SparkContext, before the
 * listener bus starts. It listens to nothing itself; a Python process attaches the hook meanwhile, so that the hook's own
 * listener has all events from the first one on.
 */
public class LineageListener extends SparkListener {
  public LineageListener(SparkConf conf) {
    try {
      if (!"false".equalsIgnoreCase(conf.get("spark.atlas.spark.enabled", "true").trim())) {
        PythonProcess.of(conf).attach(Contexts.beingMade());
      }
    } catch (Throwable error) {
      PythonProcess.warn(error.toString());
    }
  }
}
