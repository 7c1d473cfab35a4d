package sackafka;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the text of an event says, without what differs from run to run: equal where two say the same. Ids are new with each plan,
 * and so are the times, counts and files of each run.
 */
public class PlanDigest {
  /** Fields that differ from run to run, whatever the class. */
  private static final Set OF_A_RUN =
      new HashSet(
          Arrays.asList(
              new Object[] {
                "execution_id", "time", "jobs", "checkpoint_rdd", "batch_id", "create_time", "rows_written", "files_written", "bytes_written", "scans", "counted"
              }));
  /** Fields that hold the id of an expression or of a plan; elsewhere it is a negative number or the first part of a column. */
  private static final Set IDS = new HashSet(Arrays.asList(new Object[] {"expr_id", "id", "cte_id", "loop_id"}));

  private static final Set COUNTERS = new HashSet(Arrays.asList(new Object[] {"rows_written", "files_written", "bytes_written", "counted"}));

  private static final int COLUMN_PARTS = 4;
  private static final int METRICS = 3;
  private static final String FIGURES = "sackafka.ScanFigures";
  private static final String FILES = "sackafka.ScannedFiles";
  private static final String RDD = "org.apache.spark.sql.execution.LogicalRDD";
  private static final String RELATION = "org.apache.spark.sql.execution.datasources.LogicalRelation";

  private final RecordText text;
  private final NewIds ids;
  private final StringBuilder content = new StringBuilder();
  private final List names = new ArrayList(); // of classes
  private final List fields = new ArrayList(); // String[] of each
  private final Map rootPaths = new HashMap(); // number of a record -> int[] with the range of its root_paths in the content
  private final TreeMap ofBatch = new TreeMap(); // ranges of the files of one batch in the content: begin -> end
  private final TreeMap ofRdds = new TreeMap(); // where files that RDDs read are
  private final BatchCounters counters = new BatchCounters();
  private final List leaves = new ArrayList(); // String[] of each LogicalRDD: its RDD, the ids and the names of its columns
  private final Map notes = new HashMap(); // notes as written -> Integer
  private String[] output; // the ids and names of the columns that a batch writes
  private int number = -1; // of the record

  private PlanDigest(String line, NewIds ids) {
    this.text = new RecordText(line);
    this.ids = ids;
  }

  /** Reads the line of an event; ids are those of its batch so far. */
  public static PlanDigest of(String line, NewIds ids) {
    PlanDigest read = new PlanDigest(line, ids);
    read.records();
    return read;
  }

  /** The digest of the content: 32 characters, one per byte. Excludes the files that RDDs read if they are those of the batch. */
  public String digest(boolean isWithFiles) {
    TreeMap left = new TreeMap(ofBatch);
    if (!isWithFiles) left.putAll(ofRdds);
    StringBuilder rest = new StringBuilder(content);
    while (!left.isEmpty()) {
      Integer last = (Integer) left.lastKey();
      rest.delete(last.intValue(), ((Integer) left.remove(last)).intValue());
    }
    return digest(rest.toString());
  }

  /** What the writes of the event have counted. */
  public BatchCounters counters() {
    return counters;
  }

  /** Notes of what was not captured, in quotes, with counts: not part of the content. */
  public Map notes() {
    return notes;
  }

  /** Each leaf over an RDD: the RDD's id, the ids and the names of its columns. */
  public List leaves() {
    return leaves;
  }

  /** The ids and the names of the columns that a batch writes; null of any other execution. */
  public String[] output() {
    return output;
  }

  public static String digest(String s) {
    try {
      byte[] bytes = MessageDigest.getInstance("SHA-256").digest(s.getBytes(StandardCharsets.UTF_8));
      return new String(bytes, StandardCharsets.ISO_8859_1);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e.toString()); // every Java has it
    }
  }

  private void records() {
    text.pass();
    while (text.hasMore()) {
      int start = text.at();
      text.pass();
      String kind = text.string();
      text.pass();
      if (kind.equals("c")) {
        names.add(text.string());
        text.pass();
        fields.add(text.strings());
        text.pass();
      } else if (kind.equals("n")) note();
      else {
        number++;
        if (append(kind)) continue;
        text.to(start);
        text.value();
      }
    }
  }

  private void note() {
    String what = text.value();
    text.pass();
    notes.put(what, Integer.valueOf(text.value()));
    text.pass();
  }

  /** Appends a record from its class on; returns false for a record that is not part of the content. */
  private boolean append(String kind) {
    int shape = Integer.parseInt(text.value());
    String name = (String) names.get(shape);
    if (name.equals(FIGURES)) return false;
    content.append('\n').append(kind).append(' ').append(name).append(' ').append(number);
    for (int lists = kind.equals("o") ? 0 : kind.equals("e") ? 1 : 2; lists > 0; lists--) {
      text.pass();
      say();
    }
    text.pass();
    values(name, (String[]) fields.get(shape));
    if (text.hasMore()) content.append(" cut ").append(text.value());
    text.pass();
    return true;
  }

  private void values(String name, String[] fields) {
    Map raw = new HashMap();
    Map counted = new HashMap(); // field -> String[]
    text.pass();
    for (int i = 0; text.hasMore(); i++) {
      String field = fields[i];
      int from = text.at();
      int begin = content.append(',').length();
      if (!OF_A_RUN.contains(field)) say(field);
      text.to(from);
      if (COUNTERS.contains(field) && text.next() == '[') counted.put(field, text.strings());
      else if (field.equals("query_output") && text.next() == '[') output = text.columns();
      else if (name.equals(RDD) && field.equals("output") && text.next() == '[') raw.put(field, text.columns());
      else raw.put(field, text.value());
      if (field.equals("root_paths")) rootPaths.put(Integer.valueOf(number), new int[] {begin, content.length()});
      if (name.equals(FILES) && field.equals("paths")) ofRdds.put(Integer.valueOf(begin), Integer.valueOf(content.length()));
    }
    text.pass();
    if (!counted.isEmpty()) count(counted);
    if (name.equals(RDD)) leaf((String) raw.get("rdd_id"), (String[]) raw.get("output"));
    if (name.equals(RELATION)) relation(raw);
  }

  private void leaf(String rdd, String[] columns) {
    if (columns != null) leaves.add(new String[] {rdd, columns[0], columns[1]});
  }

  /** The files of a stream are those of one batch: the watched directory identifies them. */
  private void relation(Map raw) {
    boolean isWatched = "true".equals(raw.get("is_streaming")) && String.valueOf(raw.get("stream_path")).startsWith("\"");
    String relation = String.valueOf(raw.get("relation"));
    int[] range = isWatched && !relation.equals("null") ? (int[]) rootPaths.get(Integer.valueOf(relation)) : null;
    if (range != null) ofBatch.put(Integer.valueOf(range[0]), Integer.valueOf(range[1]));
  }

  /** Adds the counters of writing commands, each in a list, or those of a writer without one, which are one list. */
  private void count(Map counted) {
    String[] all = strings(counted, "counted");
    boolean isWriter = all.length == METRICS;
    if (isWriter) counters.add(new String[] {all[0]}, new String[] {all[1]}, new String[] {all[2]});
    else counters.add(strings(counted, "rows_written"), strings(counted, "files_written"), strings(counted, "bytes_written"));
  }

  private static String[] strings(Map counted, String field) {
    String[] found = (String[]) counted.get(field);
    return found == null ? new String[0] : found;
  }

  /** Says the value of a field. */
  private void say(String field) {
    if (IDS.contains(field) && text.isDecimal()) content.append(ids.of(text.string()));
    else if (field.equals("rdd_id") && text.isDecimal()) content.append(ids.ofRdd(text.string()));
    else if (field.equals("query_ids") && text.next() == '[') {
      String[] rdds = text.strings();
      for (int i = 0; i < rdds.length; i++) content.append(ids.ofRdd(rdds[i])).append(' ');
    } else say();
  }

  /** Says the value that begins here; ids in it by the numbers that they have. */
  private void say() {
    char c = text.next();
    if (c == '[') list();
    else {
      String value = text.value();
      content.append(c == '-' ? ids.of(String.valueOf(-Long.parseLong(value) - 1)) : value);
    }
  }

  /** A list; where its parts are those of a column, the first is an id. */
  private void list() {
    content.append('[');
    int begin = content.length();
    int end = begin;
    int parts = 0;
    boolean isFirstText = false;
    boolean isLastLogical = false;
    text.pass();
    for (; text.hasMore(); parts++) {
      isLastLogical = text.next() == 't' || text.next() == 'f';
      if (parts > 0) content.append(',');
      else isFirstText = text.next() == '"';
      say();
      if (parts == 0) end = content.length();
    }
    text.pass();
    if (parts == COLUMN_PARTS && isLastLogical && isFirstText) content.replace(begin, end, ids.of(content.substring(begin + 1, end - 1)));
    content.append(']');
  }
}
