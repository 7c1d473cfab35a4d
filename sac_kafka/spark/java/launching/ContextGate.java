package sackafka.launching;

import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;

/**
 * Made by every SparkContext, by spark.extraListeners, before its listener bus starts: there Python attaches, so that the
 * hook's listener has all events from the first one on. It listens to nothing itself.
 */
public class ContextGate extends SparkListener {
  public ContextGate(SparkConf conf) {
    try {
      Launch.current.made(Contexts.beingMade());
    } catch (Throwable e) {
      // The application runs on; Python sees the context once it is active.
    }
  }
}
