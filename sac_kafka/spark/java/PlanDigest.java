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

  private static final int COLUMN_PARTS = 4;
  private static final String FIGURES = "sackafka.ScanFigures";
  private static final String FILES = "sackafka.ScannedFiles";
  private static final String RDD = "org.apache.spark.sql.execution.LogicalRDD";
  private static final String RELATION = "org.apache.spark.sql.execution.datasources.LogicalRelation";

  private final RecordText text;
  private final NewIds ids;
  private final StringBuilder said = new StringBuilder();
  private final List names = new ArrayList(); // of classes
  private final List fields = new ArrayList(); // String[] of each
  private final Map rootPaths = new HashMap(); // number of a record -> int[] where its root_paths are in what is said
  private final TreeMap ofBatch = new TreeMap(); // where files of one batch are in what is said: begin -> end
  private final TreeMap ofRdds = new TreeMap(); // where files that RDDs read are
  private final List rowsWritten = new ArrayList(); // of Long
  private final List leaves = new ArrayList(); // String[] of each LogicalRDD: its RDD, the ids and the names of its columns
  private final Map notes = new HashMap(); // what happened, as it is written -> Integer
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

  /** The digest of what is said: 32 characters, a byte each. Without the files that RDDs read, where these are those of the batch. */
  public String digest(boolean isWithFiles) {
    TreeMap left = new TreeMap(ofBatch);
    if (!isWithFiles) left.putAll(ofRdds);
    StringBuilder rest = new StringBuilder(said);
    while (!left.isEmpty()) {
      Integer last = (Integer) left.lastKey();
      rest.delete(last.intValue(), ((Integer) left.remove(last)).intValue());
    }
    return digest(rest.toString());
  }

  /** What each write counted, -1 where it did not. */
  public List rowsWritten() {
    return rowsWritten;
  }

  /** What did not travel, in quotes, and how often: no part of what is said. */
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
        if (said(kind)) continue;
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

  /** Says a record from its class on; false for one that nothing is said of. */
  private boolean said(String kind) {
    int shape = Integer.parseInt(text.value());
    String name = (String) names.get(shape);
    if (name.equals(FIGURES)) return false;
    said.append('\n').append(kind).append(' ').append(name).append(' ').append(number);
    for (int lists = kind.equals("o") ? 0 : kind.equals("e") ? 1 : 2; lists > 0; lists--) {
      text.pass();
      say();
    }
    text.pass();
    values(name, (String[]) fields.get(shape));
    if (text.hasMore()) said.append(" cut ").append(text.value());
    text.pass();
    return true;
  }

  private void values(String name, String[] fields) {
    Map raw = new HashMap();
    text.pass();
    for (int i = 0; text.hasMore(); i++) {
      String field = fields[i];
      int from = text.at();
      int begin = said.append(',').length();
      if (!OF_A_RUN.contains(field)) say(field);
      text.to(from);
      if (field.equals("rows_written") && text.next() == '[') countRows();
      else if (field.equals("query_output") && text.next() == '[') output = text.columns();
      else if (name.equals(RDD) && field.equals("output") && text.next() == '[') raw.put(field, text.columns());
      else raw.put(field, text.value());
      if (field.equals("root_paths")) rootPaths.put(Integer.valueOf(number), new int[] {begin, said.length()});
      if (name.equals(FILES) && field.equals("paths")) ofRdds.put(Integer.valueOf(begin), Integer.valueOf(said.length()));
    }
    text.pass();
    if (name.equals(RDD)) leaf((String) raw.get("rdd_id"), (String[]) raw.get("output"));
    if (name.equals(RELATION)) relation(raw);
  }

  private void leaf(String rdd, String[] columns) {
    if (columns != null) leaves.add(new String[] {rdd, columns[0], columns[1]});
  }

  /** The files of a stream are those of one batch: the directory that is watched says which. */
  private void relation(Map raw) {
    boolean isWatched = "true".equals(raw.get("is_streaming")) && String.valueOf(raw.get("stream_path")).startsWith("\"");
    String relation = String.valueOf(raw.get("relation"));
    int[] range = isWatched && !relation.equals("null") ? (int[]) rootPaths.get(Integer.valueOf(relation)) : null;
    if (range != null) ofBatch.put(Integer.valueOf(range[0]), Integer.valueOf(range[1]));
  }

  private void countRows() {
    String[] counted = text.strings();
    for (int i = 0; i < counted.length; i++) rowsWritten.add(Long.valueOf(counted[i]));
  }

  /** Says the value of a field. */
  private void say(String field) {
    if (IDS.contains(field) && text.isDecimal()) said.append(ids.of(text.string()));
    else if (field.equals("rdd_id") && text.isDecimal()) said.append(ids.ofRdd(text.string()));
    else if (field.equals("query_ids") && text.next() == '[') {
      String[] rdds = text.strings();
      for (int i = 0; i < rdds.length; i++) said.append(ids.ofRdd(rdds[i])).append(' ');
    } else say();
  }

  /** Says the value that begins here; ids in it by the numbers that they have. */
  private void say() {
    char c = text.next();
    if (c == '[') list();
    else {
      String value = text.value();
      said.append(c == '-' ? ids.of(String.valueOf(-Long.parseLong(value) - 1)) : value);
    }
  }

  /** A list; where its parts are those of a column, the first is an id. */
  private void list() {
    said.append('[');
    int begin = said.length();
    int end = begin;
    int parts = 0;
    boolean isFirstText = false;
    boolean isLastLogical = false;
    text.pass();
    for (; text.hasMore(); parts++) {
      isLastLogical = text.next() == 't' || text.next() == 'f';
      if (parts > 0) said.append(',');
      else isFirstText = text.next() == '"';
      say();
      if (parts == 0) end = said.length();
    }
    text.pass();
    if (parts == COLUMN_PARTS && isLastLogical && isFirstText) said.replace(begin, end, ids.of(said.substring(begin + 1, end - 1)));
    said.append(']');
  }
}
