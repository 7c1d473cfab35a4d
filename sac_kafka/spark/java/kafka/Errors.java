package sackafka.kafka;

import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What an error of Kafka's client says, in a name and one line. */
public class Errors {
  private static final int MAX_CAUSES = 8;
  private static final int MAX_CHARS = 2000;
  private static final List WRAPPERS =
      Arrays.asList(
          new String[] {
            "KafkaException", "ExecutionException", "RuntimeException", "PrivilegedActionException", "TimeoutException"
          });

  private Errors() {}

  /** The class of the outermost meaningful error: a wrapper with a cause is skipped. */
  public static String name(Throwable error) {
    Throwable telling = error;
    for (int i = 0; i < MAX_CAUSES && hasCause(telling) && WRAPPERS.contains(shortName(telling)); i++) {
      telling = telling.getCause();
    }
    return shortName(telling);
  }

  /** The error and its causes in one line. */
  public static String text(Throwable error) {
    StringBuilder text = new StringBuilder();
    Throwable next = error;
    for (int i = 0; i < MAX_CAUSES && next != null; i++) {
      String message = next.getMessage() == null ? "" : next.getMessage();
      if (!isEmptyWrapper(next, message) && (message.isEmpty() || text.indexOf(message) < 0)) {
        if (text.length() > 0) text.append("; caused by ");
        text.append(shortName(next));
        if (!message.isEmpty()) text.append(": ").append(message);
      }
      next = hasCause(next) ? next.getCause() : null;
    }
    return oneLine(text.toString());
  }

  /** Whether the servers' names are not known, at least for now. */
  public static boolean isUnresolved(Throwable error) {
    return text(error).contains("No resolvable bootstrap");
  }

  /** Whether logging in is what failed: trying again may lock the account. */
  public static boolean isLogin(Throwable error) {
    return error instanceof AuthenticationException;
  }

  /** Whether the broker reported that the topic does not exist. */
  public static boolean isUnknownTopic(Throwable error) {
    return error.getCause() instanceof UnknownTopicOrPartitionException;
  }

  /** Whether the client has only waited too long, for the topic's leader or for room: nothing was sent. */
  public static boolean isWait(Throwable error) {
    return error instanceof TimeoutException;
  }

  private static boolean isEmptyWrapper(Throwable error, String message) {
    if (!hasCause(error) || !WRAPPERS.contains(shortName(error))) return false;
    return message.startsWith("Failed to ") || message.equals(error.getCause().toString());
  }

  private static boolean hasCause(Throwable error) {
    return error.getCause() != null && error.getCause() != error;
  }

  private static String shortName(Throwable error) {
    String name = error.getClass().getName();
    return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
  }

  private static String oneLine(String text) {
    String line = text.replaceAll("\\s+", " ").trim();
    return line.length() > MAX_CHARS ? line.substring(0, MAX_CHARS) : line;
  }
}
