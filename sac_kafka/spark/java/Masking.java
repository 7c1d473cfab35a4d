package sackafka;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes secrets out of every text before it leaves the driver's JVM: passwords in URLs and parameters, signatures of
 * shared access, tokens, what Spark's own redaction expressions match, and the literals of SQL statements.
 */
public class Masking {
  private static final String MASK = "***";
  private static final String SECRET_WORDS =
      "pass(?:word|wd|phrase)|pwd|secret|token|credential|signature|(?:access|account|api|private|shared)[_.-]?key"
          + "|sharedaccess\\w*";
  private static final Pattern SECRET_KEY = Pattern.compile("(?i)" + SECRET_WORDS + "|(?<![a-z])pass(?![a-z])");
  /** user:password@host; a port is no password, and a container@account of Azure has no colon. */
  private static final Pattern USER_INFO =
      Pattern.compile("(://[^/?#\\s:@]*+):(?!\\d{1,5}(?:[/?,;]|$))[^\\s?#]{0,1000}@");
  /** https://token@host */
  private static final Pattern WEB_USER = Pattern.compile("(?i)((?:https?|git|ftp)://)[^/?#\\s:@]++@");
  private static final Pattern ORACLE = Pattern.compile("(?i)(jdbc:oracle:\\w{1,20}:[^/@\\s]{1,128}+)/[^@\\s]{1,1024}+@");
  private static final String QUOTED = "'[^'\\\\]*+(?:\\\\.[^'\\\\]*+)*+'|\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"";
  /** key=value in URLs, connection strings and texts (also percent-encoded), "key": "value", key: value. */
  private static final Pattern PARAMETER =
      Pattern.compile(
          "(?i)((?:(?:" + SECRET_WORDS + ")[\\w.$-]{0,100}|(?<![\\w.$-])(?:pass|sig))"
              + "(?:\\s*+(?:=|%3D)\\s*+|[\"']?\\s*+:\\s++|[\"']\\s*+:\\s*+))(?!\\*\\*\\*)"
              + "(" + QUOTED + "|\\{[^}]{0,500}\\}|[^&;\\s]++)");
  private static final Pattern TOKEN =
      Pattern.compile(
          "(?<![\\w-])eyJ[\\w-]{8,}+\\.[\\w-]{8,}+\\.[\\w-]*+|(?i:bearer)\\s++[\\w.~+/-]{8,}+=*+|dapi[0-9a-f]{32}");
  /** OPTIONS (password 'x'), password = "x" in a statement. */
  private static final Pattern SQL_OPTION =
      Pattern.compile(
          "(?i)((?:" + SECRET_WORDS + "|\\bpass)[\\w.-]{0,100}['\"`]?\\s*+[=(,]?\\s*+)"
              + "(r'[^']*+'|r\"[^\"]*+\"|" + QUOTED + ")");
  private static final int LONG_NUMBER = 7;

  private final List keys = new ArrayList();
  private final List values = new ArrayList();

  /** keyPatterns and valuePatterns: Spark's spark.redaction.regex, spark.redaction.string.regex and their kin. */
  public Masking(List keyPatterns, List valuePatterns) {
    keys.add(SECRET_KEY);
    for (int i = 0; i < keyPatterns.size(); i++) keys.add(Pattern.compile((String) keyPatterns.get(i)));
    for (int i = 0; i < valuePatterns.size(); i++) values.add(Pattern.compile((String) valuePatterns.get(i)));
  }

  /** The value of an option, or the mask where its key says that it is secret. */
  public String option(String key, String value) {
    for (int i = 0; i < keys.size(); i++) if (((Pattern) keys.get(i)).matcher(key).find()) return MASK;
    return text(value);
  }

  /** Any text: URL, path, comment. */
  public String text(String s) {
    String r = s;
    if (r.indexOf('@') >= 0) {
      r = USER_INFO.matcher(r).replaceAll("$1:" + MASK + "@");
      r = WEB_USER.matcher(r).replaceAll("$1" + MASK + "@");
      r = ORACLE.matcher(r).replaceAll("$1/" + MASK + "@");
    }
    if (r.indexOf('=') >= 0 || r.indexOf(':') >= 0 || r.indexOf('%') >= 0) r = PARAMETER.matcher(r).replaceAll("$1" + MASK);
    if (r.length() > 15) r = TOKEN.matcher(r).replaceAll(MASK);
    for (int i = 0; i < values.size(); i++) {
      r = ((Pattern) values.get(i)).matcher(r).replaceAll(Matcher.quoteReplacement(MASK));
    }
    return r;
  }

  /** A statement as it was written, without the values of secret options. */
  public String sql(String s) {
    return text(SQL_OPTION.matcher(s).replaceAll("$1'" + MASK + "'"));
  }

  /** A statement with `?` for string literals and long numbers, without comments (hints stay). */
  public String sqlWithoutLiterals(String s) {
    StringBuilder out = new StringBuilder(s.length());
    int n = s.length();
    int i = 0;
    while (i < n) {
      char c = s.charAt(i);
      if (c == '\'' || c == '"') {
        i = endOfLiteral(s, i);
        out.append('?');
      } else if (c == '`') {
        int end = s.indexOf('`', i + 1);
        end = end < 0 ? n : end + 1;
        out.append(s.substring(i, end));
        i = end;
      } else if (s.startsWith("--", i)) {
        i = endOfLine(s, i);
      } else if (s.startsWith("/*", i) && !s.startsWith("/*+", i)) {
        i = endOfComment(s, i);
        out.append(' ');
      } else if (Character.isDigit(c) && (i == 0 || !Character.isJavaIdentifierPart(s.charAt(i - 1)))) {
        int end = i;
        while (end < n && Character.isDigit(s.charAt(end))) end++;
        if (end - i >= LONG_NUMBER) out.append('?');
        else out.append(s.substring(i, end));
        i = end;
      } else {
        out.append(c);
        i++;
      }
    }
    return text(out.toString());
  }

  /** Behind the literal that starts at the quote; in r'…' a backslash means itself. */
  private static int endOfLiteral(String s, int start) {
    char quote = s.charAt(start);
    boolean raw =
        start > 0
            && Character.toLowerCase(s.charAt(start - 1)) == 'r'
            && (start == 1 || !Character.isJavaIdentifierPart(s.charAt(start - 2)));
    int i = start + 1;
    while (i < s.length()) {
      char c = s.charAt(i);
      if (c == '\\' && !raw) i += 2;
      else if (c == quote) return i + 1;
      else i++;
    }
    return s.length();
  }

  /** The end of a -- comment: a backslash before the end of the line continues it. */
  private static int endOfLine(String s, int start) {
    for (int i = start; i < s.length(); i++) {
      char c = s.charAt(i);
      if ((c == '\n' || c == '\r') && s.charAt(i - 1) != '\\') return i;
    }
    return s.length();
  }

  /** Behind the comment; comments nest. */
  private static int endOfComment(String s, int start) {
    int depth = 0;
    int i = start;
    while (i < s.length()) {
      if (s.startsWith("/*", i)) {
        depth++;
        i += 2;
      } else if (s.startsWith("*/", i)) {
        i += 2;
        if (--depth == 0) return i;
      } else i++;
    }
    return s.length();
  }
}
