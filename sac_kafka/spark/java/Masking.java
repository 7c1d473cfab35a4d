package sackafka;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes secrets out of every text before it leaves the driver's JVM: passwords in URLs and parameters, signatures of
 * shared access, tokens, what Spark's own redaction expressions match, and the literals of SQL statements.
 */
public class Masking {
  private static final String MASK = "***";
  private static final Pattern SECRET_WORD =
      Pattern.compile(
          "(?i)pass(?:word|wd|phrase)|pwd|secret|token|credential|signature|sharedaccess"
              + "|(?:access|account|api|client|private|pvt|shared)[_.-]?key");
  private static final Pattern PASS = Pattern.compile("(?i)(?<![a-z])pass(?![a-z])|(?-i:(?<=[a-z0-9])Pass(?![a-z]))");
  /** How names end whose values are no secret where they are numbers. */
  private static final Pattern MEASURE =
      Pattern.compile("(?i)(?:tokens|passwords|secrets|credentials|[._-](?:counts?|length|size|limit|max|min))\\z");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}+(?![\\w.+/=-])");
  private static final String NAME = "(?<![\\w.$-])([\\w.$-]++)";
  /** key=value in URLs, connection strings and texts (also percent-encoded), "key": "value", key: value, key 'value'; up to the value. */
  private static final Pattern PARAMETER =
      Pattern.compile(
          NAME
              + "(?:\\\\?[\"'`]?\\s*+(:?+=|%3[Dd])\\s*+|\\\\?[\"'`]?\\s*+:\\s++|\\\\?[\"'`]\\s*+:\\s*+"
              + "|(?:\\\\?[\"'`]?(?:\\s++|\\s*+\\(\\s*+)|(?<=\\([\"'][\\w.$-]{1,64})[\"']\\s*+,\\s*+)(?=\\\\?[\"']|[NnEeRr]'))");
  /** OPTIONS (password 'x'), password = "x" in a statement; up to the value. */
  private static final Pattern SQL_OPTION = Pattern.compile(NAME + "['\"`]?\\s*+[=(,]?\\s*+(?=[rR]?['\"])");
  private static final Pattern IDENTIFIED =
      Pattern.compile(
          "(?i)(\\b(?:(?:create|alter)\\s++(?:user|role)|grant)\\s)|;(?!\\S)|" // a statement about users: begun, ended
              + "\\b(identified)\\s++(?:with\\s++\\S{1,64}+\\s++)?(by|as)\\s++(?:(?:password|values)\\s++)?(?=\\S)");
  private static final Pattern ORACLE = Pattern.compile("(?i)jdbc:oracle:\\w{1,20}:");
  /** A run of letters and digits with all three kinds: names that people give have words in them instead. */
  private static final String MIXED = "(?=[A-Za-z]*+[0-9])(?=[a-z0-9]*+[A-Z])(?=[A-Z0-9]*+[a-z])";
  private static final String RUN = MIXED + "[A-Za-z0-9]{20,}+";
  private static final String PARTS = "(?:[A-Za-z0-9]*+[_-]){0,9}";
  /** What is a secret by itself: JSON web tokens, headers, tokens of Databricks, GitHub, GitLab, Slack, Google, OpenAI, Anthropic, Stripe. */
  private static final Pattern TOKEN =
      Pattern.compile(
          "(?<!\\w)(?<!\\w-)eyJ" + MIXED + "[A-Za-z0-9]{12,}+[\\w-]*+(?:\\.[\\w-]*+){0,2}+|(?i:bearer)\\s++(?=[\\w.~+/-]*?(?:[a-z][A-Z]|[0-9]|=)|[\\w.~+/-]{20})[\\w.~+/-]{8,}+=*+"
              + "|(?i:basic)\\s++(?=[\\w+/]*?(?:[a-z][A-Z]|[0-9]|[\\w+/]=))[\\w+/]{8,}+=*+|dapi[0-9a-f]{32}"
              + "|(?<!\\w)(?<!\\w-)(?:gh[oprsu]_" + RUN + "|github_pat_" + PARTS + RUN + "\\w*+"
              + "|glpat-(?=[\\w-]{0,19}[0-9])(?=[\\w-]{0,19}[A-Z])(?=[\\w-]{0,19}[a-z])[\\w-]{20,}+"
              + "|xox[a-z]-(?:" + PARTS + RUN + "|(?:[0-9]{9,14}+-){2,3}+[A-Za-z0-9]{10,}+)[\\w-]*+"
              + "|AIza(?=[\\w-]{0,34}[0-9])(?=[\\w-]{0,34}[A-Z])(?=[\\w-]{0,34}[a-z])[\\w-]{35}"
              + "|sk-(?:(?:proj|svcacct|admin|ant)-" + PARTS + ")?" + RUN + "[\\w-]*+|sk_(?:live|test)_" + RUN + ")");
  private static final Pattern PRIVATE_KEY =
      Pattern.compile("-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\\z)", Pattern.DOTALL);
  private static final int LONG_NUMBER = 7;
  /** Words right before a path or a comment; only in COMMENT ON … IS may a literal follow IS. */
  private static final List NAMING =
      Arrays.asList(new Object[] {"DIRECTORY", "LOCATION", "INPATH", "PATH", "COMMENT", "IS"});
  private static final int LONGEST_NAMING = 9;

  private final List keys = new ArrayList();
  private final List values = new ArrayList();
  private volatile boolean isAbandoned = false;

  /** keyPatterns and valuePatterns: Spark's spark.redaction.regex, spark.redaction.string.regex and their kin. */
  public Masking(List keyPatterns, List valuePatterns) {
    keys.add(SECRET_WORD);
    keys.add(PASS);
    for (int i = 0; i < keyPatterns.size(); i++) keys.add(Pattern.compile((String) keyPatterns.get(i)));
    for (int i = 0; i < valuePatterns.size(); i++) values.add(Pattern.compile((String) valuePatterns.get(i)));
  }

  /** The value of an option, or the mask where its key says that it is secret. */
  public String option(String key, String value) {
    return isSecret(key) ? MASK : text(value);
  }

  /** Whether the value of an option or of a column of this name is secret. */
  public boolean isSecret(String key) {
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
    return masked(s, true);
  }

  /** A statement as it was written, without the values of secret options. */
  public String sql(String s) {
    return masked(options(s), false);
  }

  /** blanks: a value without quotes may hold them; in a statement they end it. */
  private String masked(String s, boolean blanks) {
    String r = s;
    if (r.indexOf("PRIVATE KEY") >= 0) r = PRIVATE_KEY.matcher(r).replaceAll(MASK);
    if (r.indexOf('@') >= 0) r = oracleUsers(users(r));
    if (r.length() > 11) r = TOKEN.matcher(r).replaceAll(MASK);
    if (r.length() > 11) r = identified(r);
    if (r.indexOf('=') >= 0 || r.indexOf(':') >= 0 || r.indexOf('%') >= 0 || r.indexOf('"') >= 0 || r.indexOf('\'') >= 0) r = parameters(r, blanks);
    for (int i = 0; i < values.size(); i++) {
      r = ((Pattern) values.get(i)).matcher(new Watched(r)).replaceAll(Matcher.quoteReplacement(MASK));
    }
    return r;
  }

  /** Without the password in user:password@host, and the token in https://token@host. */
  private static String users(String s) {
    StringBuilder out = new StringBuilder(s.length());
    int done = 0;
    int wordEnd = 0;
    int lastAt = -1; // of the word that is looked at
    for (int at = s.indexOf("://"); at >= 0; at = s.indexOf("://", Math.max(done, at + 3))) {
      int user = at + 3;
      int i = user;
      while (i < s.length() && "/?#:@".indexOf(s.charAt(i)) < 0 && !Character.isWhitespace(s.charAt(i))) i++;
      if (i == s.length()) break;
      if (s.charAt(i) == '@' && i > user && isWeb(s, at)) {
        out.append(s, done, user).append(MASK);
        done = i;
      } else if (s.charAt(i) == ':' && !isPort(s, i + 1)) {
        if (i >= wordEnd) {
          wordEnd = endOf(s, i, "?#");
          for (lastAt = wordEnd - 1; lastAt > i && s.charAt(lastAt) != '@'; ) lastAt--;
        }
        int end = lastAt > i ? lastAt : endOf(s, wordEnd, "@/&");
        if (end < s.length() && s.charAt(end) == '@') {
          out.append(s, done, i + 1).append(MASK);
          done = end;
        }
      }
    }
    return out.append(s, done, s.length()).toString();
  }

  private static boolean isWeb(String s, int end) {
    int start = end;
    while (start > 0 && end - start < 6 && Character.isLetterOrDigit(s.charAt(start - 1))) start--;
    String scheme = s.substring(start, end).toLowerCase(Locale.ROOT);
    return scheme.equals("http") || scheme.equals("https") || scheme.equals("git") || scheme.equals("ftp");
  }

  /** A port is no password; a container@account of Azure has no colon. */
  private static boolean isPort(String s, int start) {
    int i = start;
    while (i < s.length() && i - start < 6 && s.charAt(i) >= '0' && s.charAt(i) <= '9') i++;
    boolean isEnd = i == s.length() || "/?,;".indexOf(s.charAt(i)) >= 0 || Character.isWhitespace(s.charAt(i));
    return i > start && i - start < 6 && isEnd;
  }

  /** Where one of the characters, a blank, or the end of the text is. */
  private static int endOf(String s, int start, String chars) {
    int i = start;
    while (i < s.length() && chars.indexOf(s.charAt(i)) < 0 && !Character.isWhitespace(s.charAt(i))) i++;
    return i;
  }

  /** Without the password in jdbc:oracle:thin:user/password@host, which may hold an @. */
  private static String oracleUsers(String s) {
    StringBuilder out = new StringBuilder(s.length());
    int done = 0;
    int wordEnd = 0;
    int lastAt = -1;
    Matcher m = ORACLE.matcher(s);
    while (m.find()) {
      int start = m.end();
      if (start < done || start == s.length() || s.charAt(start) == '@') continue;
      if (start >= wordEnd) {
        wordEnd = endOf(s, start, "");
        int described = s.substring(start, wordEnd).indexOf("@(");
        for (lastAt = described < 0 ? wordEnd - 1 : start + described; lastAt > start && s.charAt(lastAt) != '@'; ) lastAt--;
      }
      if (lastAt <= start) continue;
      int slash = endOf(s, start, "/@");
      if (slash >= lastAt || s.charAt(slash) != '/') continue;
      out.append(s, done, slash + 1).append(MASK);
      done = lastAt;
    }
    return out.append(s, done, s.length()).toString();
  }

  /** Without the values of parameters whose names say that they are secret. */
  private static String parameters(String s, boolean blanks) {
    StringBuilder out = new StringBuilder(s.length());
    int done = 0;
    Matcher m = PARAMETER.matcher(s);
    Matcher next = PARAMETER.matcher(s);
    Matcher number = NUMBER.matcher(s);
    for (boolean found = m.find(); found; found = m.find(Math.max(done, m.end()))) {
      int start = m.end();
      if (!isSecret(s, m.start(1), m.group(1)) || s.startsWith(MASK, start) || s.startsWith(MASK, start + 1)) continue;
      if (MEASURE.matcher(m.group(1)).find() && number.region(start, s.length()).lookingAt()) continue;
      boolean isAssigned = m.group(2) != null;
      int end = endOfValue(s, start, isAssigned);
      if (isAssigned && blanks && end < s.length() && isBare(s, start)) end = endOfWords(s, end, next);
      if (end == start) continue;
      out.append(s, done, start).append(MASK);
      done = end;
    }
    return out.append(s, done, s.length()).toString();
  }

  /** Without the password of IDENTIFIED BY x; in small letters a bare word is one only in a statement about users. */
  private static String identified(String s) {
    Matcher m = IDENTIFIED.matcher(s);
    StringBuilder out = new StringBuilder(s.length());
    int done = 0;
    boolean isInStatement = false;
    while (m.find()) {
      int start = m.end();
      if (m.start() < done) continue;
      String word = m.group(2);
      if (word == null) isInStatement = m.group(1) != null;
      if (word == null || s.charAt(start) == '?' || s.startsWith(MASK, start) || s.startsWith(MASK, start + 1)) continue;
      boolean isQuoted = s.charAt(start) == '"' || s.charAt(start) == '\'';
      boolean isProse = word.equals("Identified") && m.group(3).equals(m.group(3).toLowerCase(Locale.ROOT));
      if (!isInStatement && (isQuoted ? isProse : !word.equals("IDENTIFIED"))) continue;
      out.append(s, done, start).append(MASK);
      done = isQuoted ? endOfQuoted(s, start) : endOf(s, start, ";,)");
    }
    return out.append(s, done, s.length()).toString();
  }

  /** Whether a name says that its value is secret; code and key do in the parameters of a URL. */
  private static boolean isSecret(String s, int start, String name) {
    if (SECRET_WORD.matcher(name).find()) return true;
    char before = start == 0 ? ' ' : s.charAt(start - 1);
    boolean isEncoded = before == '%' && (name.startsWith("26") || name.startsWith("3F") || name.startsWith("3f"));
    String plain = (isEncoded ? name.substring(2) : name).toLowerCase(Locale.ROOT);
    if (plain.equals("pass") || plain.equals("sig")) return true;
    boolean isPass = name.endsWith("Pass") || plain.endsWith(".pass") || plain.endsWith("_pass") || plain.endsWith("-pass");
    if (isPass && before != '/') return true; // behind a / it is a partition
    return (plain.equals("code") || plain.equals("key")) && (isEncoded || before == '?' || before == '&');
  }

  private static boolean isBare(String s, int start) {
    return "\"'{\\".indexOf(s.charAt(start)) < 0 && !isPrefixed(s, start);
  }

  /** Whether a text of SQL follows that says its kind, as in N'…'. */
  private static boolean isPrefixed(String s, int start) {
    return start + 1 < s.length() && "NnEeRr".indexOf(s.charAt(start)) >= 0 && s.charAt(start + 1) == '\'';
  }

  /** Behind the value that starts there: in quotes, in braces (of SQL Server, or JSON), else up to & ; or a blank. */
  private static int endOfValue(String s, int start, boolean isAssigned) {
    if (start == s.length()) return start;
    char c = s.charAt(start);
    if (c == '"' || c == '\'') return endOfQuoted(s, start);
    if (isPrefixed(s, start)) return endOfQuoted(s, start + 1);
    if (c == '{') return isAssigned ? endOfBraced(s, start) : endOfObject(s, start);
    if (s.startsWith("\\\"", start) || s.startsWith("\\'", start)) return endOfPair(s, start);
    return endOf(s, start, "&;");
  }

  /** Behind the words that go on with a value, up to the next parameter, & or ; or the end of the line. */
  private static int endOfWords(String s, int start, Matcher parameter) {
    int end = start;
    while (true) {
      int i = end;
      while (i < s.length() && (s.charAt(i) == ' ' || s.charAt(i) == '\t')) i++;
      if (i == end || endOf(s, i, "&;") == i || parameter.region(i, s.length()).lookingAt()) return end;
      end = endOf(s, i, "&;");
    }
  }

  /** Behind a text in quotes; a doubled quote stands for itself, but opens a text within a text; one not closed goes to the end. */
  private static int endOfQuoted(String s, int start) {
    char quote = s.charAt(start);
    boolean isDoubled = start + 2 < s.length() && s.charAt(start + 1) == quote;
    if (isDoubled && !Character.isWhitespace(s.charAt(start + 2)) && ",;)&}]\"'".indexOf(s.charAt(start + 2)) < 0) return endOfPair(s, start);
    for (int i = start + 1; i < s.length(); i++) {
      if (s.charAt(i) == '\\') i++;
      else if (s.charAt(i) == quote && (i + 1 == s.length() || s.charAt(i + 1) != quote)) return i + 1;
      else if (s.charAt(i) == quote) i++;
    }
    return s.length();
  }

  /** Behind a text between the same two characters. */
  private static int endOfPair(String s, int start) {
    int end = s.indexOf(s.substring(start, start + 2), start + 2);
    return end < 0 ? s.length() : end + 2;
  }

  /** Behind {…}, where }} stands for one }. */
  private static int endOfBraced(String s, int start) {
    for (int i = start + 1; i < s.length(); i++) {
      if (s.charAt(i) != '}') continue;
      if (i + 1 == s.length() || s.charAt(i + 1) != '}') return i + 1;
      i++;
    }
    return s.length();
  }

  private static int endOfObject(String s, int start) {
    int depth = 0;
    for (int i = start; i < s.length(); i++) {
      if (s.charAt(i) == '{') depth++;
      else if (s.charAt(i) == '}' && --depth == 0) return i + 1;
    }
    return s.length();
  }

  /** Without the values of secret options, written as in SQL. */
  private static String options(String s) {
    StringBuilder out = new StringBuilder(s.length());
    int done = 0;
    Matcher m = SQL_OPTION.matcher(s);
    for (boolean found = m.find(); found; found = m.find(Math.max(done, m.end()))) {
      String name = m.group(1);
      if (!SECRET_WORD.matcher(name).find() && !PASS.matcher(name).find()) continue;
      int start = m.end();
      boolean isRaw = s.charAt(start) == 'r' || s.charAt(start) == 'R';
      out.append(s, done, start).append('\'').append(MASK).append('\'');
      done = isRaw ? endOfLiteral(s, start + 1) : endOfQuoted(s, start);
    }
    return out.append(s, done, s.length()).toString();
  }

  /** A statement with `?` for long numbers and for string literals but paths and COMMENT; without its remarks (hints stay). */
  public String sqlWithoutLiterals(String s) {
    StringBuilder out = new StringBuilder(s.length());
    int n = s.length();
    int i = 0;
    int named = -1; // where a name in quotes has ended
    while (i < n) {
      char c = s.charAt(i);
      if (c == '\'' || c == '"') {
        int end = endOfLiteral(s, i);
        if (i == named || isNameNext(out)) {
          out.append(s.substring(i, end));
          named = end;
        } else out.append('?');
        i = end;
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
    return masked(out.toString(), false);
  }

  /** Whether a literal that follows is no value but a name: a statement's path, or the comment that is sent anyway. */
  private static boolean isNameNext(StringBuilder before) {
    int end = before.length();
    while (end > 0 && Character.isWhitespace(before.charAt(end - 1))) end--;
    int start = end;
    while (start > 0 && end - start <= LONGEST_NAMING && Character.isLetter(before.charAt(start - 1))) start--;
    boolean isWord = start == 0 || Character.isWhitespace(before.charAt(start - 1)) || before.charAt(start - 1) == '(';
    return isWord && NAMING.contains(before.substring(start, end).toUpperCase(Locale.ROOT));
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
