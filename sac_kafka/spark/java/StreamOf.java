package sackafka;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The streaming query that the description of an execution names: its name or nothing, then a line each for its id, that
 * of its run, and the batch, and nothing else. The executions within a batch have the same text.
 */
public class StreamOf {
  private static final String UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
  private static final Pattern LINES = Pattern.compile("id = (" + UUID + ")\nrunId = (" + UUID + ")\nbatch = (?:\\d{1,19}|init)");
  private static final int LONGEST = 200; // of these lines

  private final String name;
  private final String queryId;
  private final String runId;

  private StreamOf(String name, String queryId, String runId) {
    this.name = name;
    this.queryId = queryId;
    this.runId = runId;
  }

  /** The query of a description; null where the text is any other. */
  public static StreamOf of(String description) {
    int start = description.lastIndexOf("\nid = ");
    if (start < 0 || description.length() - start > LONGEST) return null;
    Matcher m = LINES.matcher(description.substring(start + 1));
    return m.matches() ? new StreamOf(start == 0 ? null : description.substring(0, start), m.group(1), m.group(2)) : null;
  }

  public String name() {
    return name;
  }

  public String queryId() {
    return queryId;
  }

  public String runId() {
    return runId;
  }
}
