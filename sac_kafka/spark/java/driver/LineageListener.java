package sackafka.driver;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;

/**
 * The value of spark.extraListeners for drivers that start no Python: Spark creates it with each SparkContext, before the
 * listener bus starts. It listens to nothing itself; a Python process attaches the hook meanwhile, so that the hook's own
 * listener has all events from the first one on.
 */
public class LineageListener extends SparkListener {
  private static final int[] OLDEST = {3, 5}; // as in spark/versions.py, with SPAN
  private static final String SPAN = "3.5 to 4.3";

  public LineageListener(SparkConf conf) {
    if ("false".equalsIgnoreCase(conf.get("spark.atlas.spark.enabled", "true").trim())) return;
    try {
      String version = org.apache.spark.package$.MODULE$.SPARK_VERSION();
      if (isTooOld(version)) {
        // Here, because the other classes need a newer Py4J.
        System.err.println("sac_kafka: not attached, the job runs on without lineage: Spark " + version + " is too old: use Spark " + SPAN);
        return;
      }
      PythonProcess.of(conf).attach(Contexts.beingMade());
    } catch (Throwable error) {
      PythonProcess.warn(error.toString());
    }
  }

  /** Whether a version is older than OLDEST; a text that is no version is not. */
  private static boolean isTooOld(String version) {
    Matcher found = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})").matcher(version);
    if (!found.lookingAt()) return false;
    int first = Integer.parseInt(found.group(1));
    return first < OLDEST[0] || first == OLDEST[0] && Integer.parseInt(found.group(2)) < OLDEST[1];
  }
}
