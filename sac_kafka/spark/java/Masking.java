package sackafka;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes secrets out of every text before it leaves the driver's JVM: passwords in URLs and parameters, signatures of
 * shared access, tokens, what Spark's own redaction expressions match, and the literals of SQL statements.
 */
public class Masking {
  static final String MASK = "***";
  private static final int MAX_CLEAN = 1000;
  private static final int LONGEST_CLEAN = 200;
  private final List keys = new ArrayList();
  private final List values = new ArrayList();
  /** Short texts in which nothing was masked: plans have the same names and paths again and again. */
  private final Set clean =
      Collections.newSetFromMap(
          new LinkedHashMap() {
            protected boolean removeEldestEntry(Map.Entry eldest) {
              return size() > MAX_CLEAN;
            }
          });
  private volatile boolean isAbandoned = false;

  /** keyPatterns and valuePatterns: Spark's spark.redaction.regex, spark.redaction.string.regex and their kin. */
  public Masking(List keyPatterns, List valuePatterns) {
    for (int i = 0; i < keyPatterns.size(); i++) keys.add(Pattern.compile((String) keyPatterns.get(i)));
    for (int i = 0; i < valuePatterns.size(); i++) values.add(Pattern.compile((String) valuePatterns.get(i)));
  }

  /** The value of an option, or the mask where its key says that it is secret. */
  public String option(String key, String value) {
    return isSecret(key) ? MASK : text(value);
  }

  /** Whether the value of an option or of a column of this name is secret. */
  public boolean isSecret(String key) {
    if (SecretParameters.isSecret(key)) return true;
    CharSequence watched = new Watched(key);
    for (int i = 0; i < keys.size(); i++) if (((Pattern) keys.get(i)).matcher(watched).find()) return true;
    return false;
  }

  /** Nobody waits for this masking any more: what it is doing for an expression of the user's ends with an error. */
  public void abandon() {
    isAbandoned = true;
  }

  /** A text that expressions of the user's are tried on, which may go back and forth in it for years. */
  private class Watched implements CharSequence {
    private final CharSequence text;

    Watched(CharSequence text) {
      this.text = text;
    }

    public char charAt(int i) {
      if (isAbandoned) throw new IllegalStateException("masking was given up");
      return text.charAt(i);
    }

    public int length() {
      return text.length();
    }

    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    public String toString() {
      return text.toString();
    }
  }

  /** Any text: URL, path, comment. */
  public String text(String s) {
    if (s.length() > LONGEST_CLEAN) return masked(s, true);
    if (clean.contains(s)) return s;
    String masked = masked(s, true);
    if (masked.equals(s)) clean.add(s);
    return masked;
  }

  /** A statement as it was written, without the values of secret options. */
  public String sql(String s) {
    return masked(SecretParameters.options(s), false);
  }

  /** A statement with `?` for long numbers and for string literals but paths and COMMENT; without its remarks (hints stay). */
  public String sqlWithoutLiterals(String s) {
    return masked(Literals.without(s), false);
  }

  /** A statement of which only names are left. */
  public String names(String s) {
    return expressed(SecretTexts.TOKEN.matcher(s).replaceAll(MASK));
  }

  /** blanks: a value without quotes may hold them; in a statement they end it. */
  private String masked(String s, boolean blanks) {
    String r = s;
    if (r.indexOf("PRIVATE KEY") >= 0) r = SecretTexts.PRIVATE_KEY.matcher(r).replaceAll(MASK);
    if (r.indexOf('@') >= 0) r = Addresses.masked(r);
    if (r.length() > 11) r = SecretTexts.TOKEN.matcher(r).replaceAll(MASK);
    if (r.length() > 11) r = SecretParameters.identified(r);
    if (r.indexOf('=') >= 0 || r.indexOf(':') >= 0 || r.indexOf('%') >= 0 || r.indexOf('"') >= 0 || r.indexOf('\'') >= 0) r = SecretParameters.parameters(r, blanks);
    return expressed(r);
  }

  /** Without what Spark's own redaction expressions match. */
  private String expressed(String s) {
    String r = s;
    for (int i = 0; i < values.size(); i++) {
      r = ((Pattern) values.get(i)).matcher(new Watched(r)).replaceAll(Matcher.quoteReplacement(MASK));
    }
    return r;
  }
}
