package sackafka;

import java.util.Map;

/** What a text is when it leaves the driver: masked and bounded, a statement as the settings want it. */
public class Texts {
  private static final int LONGEST_TEXT = 30000;

  private final Masking masking;
  private final boolean literals;
  private final Records records;
  private final Map foreign;

  /** literals: statements keep theirs; foreign: the kinds of databases whose queries travel, as `ForeignText` has them. */
  public Texts(Masking masking, boolean literals, Map foreign, Records records) {
    this.masking = masking;
    this.literals = literals;
    this.foreign = foreign;
    this.records = records;
  }

  /** Any text: URL, path, comment. */
  public String text(String s) {
    return bounded(masking.text(maskable(s)));
  }

  /** The value of an option. */
  public String option(String key, String value) {
    return bounded(masking.option(key, maskable(value)));
  }

  /** The value of an option that names something; of a query nothing but that it is one. */
  public String naming(String key, String value) {
    boolean isTable = key.equals("dbtable") || key.equals("table");
    if (!isTable && !key.endsWith("query") && !key.equals("path")) return option(key, value);
    String start = value.trim().toLowerCase(java.util.Locale.ROOT);
    boolean isQuery = start.matches("(?s)(?:select|with)\\s.*") || isTable && start.startsWith("(");
    if (key.endsWith("query")) isQuery = !start.matches("[\\w.-]{1,200}");
    return isQuery ? "(query)" : option(key, value);
  }

  public String statement(String text) {
    if (text == null) return null;
    String sql = maskable(text);
    return bounded(literals ? masking.sql(sql) : masking.sqlWithoutLiterals(sql));
  }

  /** A query that the database of a URL runs; null where it stays in the driver. */
  public ForeignText foreign(String url, String sql) {
    return sql == null || foreign.isEmpty() ? null : ForeignText.of(url, sql, foreign, masking);
  }

  /** Whether what has this name is a secret as a whole. */
  public boolean isSecret(String name) {
    return masking.isSecret(name);
  }

  /** What is masked is longer than what is shown, so that no cut makes a secret look like something else. */
  private static String maskable(String s) {
    return s.length() <= 4 * LONGEST_TEXT ? s : s.substring(0, 4 * LONGEST_TEXT);
  }

  private String bounded(String s) {
    if (s.length() <= LONGEST_TEXT) return s;
    records.note("text cut");
    int end = Character.isHighSurrogate(s.charAt(LONGEST_TEXT - 1)) ? LONGEST_TEXT - 1 : LONGEST_TEXT;
    return s.substring(0, end) + "\u2026";
  }
}
