package sackafka.launching;

/** Logs what is lost because Python stands still, or was killed, when the driver ends. */
final class UnreadEvents {
  private UnreadEvents() {}

  /** Logs how many events Python has left in a listener, if any; it may be null. */
  static void warn(Object listener) {
    if (listener == null) return;
    Object count;
    try {
      count = listener.getClass().getMethod("call", new Class[] {String.class}).invoke(listener, new Object[] {"unread"});
    } catch (Exception error) {
      count = error;
    }
    if (Integer.valueOf(0).equals(count)) return;
    Log.warn(
        "the lineage of up to " + count + " events is lost: the hook's Python did not take them;"
            + " it was stopped, swapped out or killed, or needs more than atlas.hook.spark.exit.timeout.seconds");
  }
}
