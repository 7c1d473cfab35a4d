package sackafka;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes the values of parameters and options whose names say that they are secret out of texts and statements. */
class SecretParameters {
  static final Pattern SECRET_WORD =
      Pattern.compile(
          "(?i)pass(?:word|wd)|pass[_.-]?(?:phrase|code)|pwd|secret|token|credential|signature|sharedaccess"
              + "|(?:access|account|api|auth|client|master|private|pvt|sas|shared)[_.-]?key");
  /** Short secret names; unlike the others they are not looked for within a name, such as pass_count. */
  static final Pattern SHORT = Pattern.compile("(?i)(?:\\A|[._-])(?:passw?|pw|sas|creds?)\\z|(?-i:[a-z0-9](?:Passw?|Pw|Sas)\\z)");
  /** Names that are secret only as parameters of a URL. */
  private static final Pattern URL_NAME = Pattern.compile("(?i)(?:(?:[\\w.$-]{0,64}-)?(?:subscription|functions)-key|code|key)\\z");
  private static final Pattern KEY_IN_WORDS =
      Pattern.compile(
          "(?i)\\b((?:api|access|private|secret)[ \\t]key[\"'`]?[ \\t]{0,9}[=:][ \\t]{0,9})(?!\\*{3})"
              + "(?:\"[^\"]*+\"?|'[^']*+'?|[^\\s;&,]++)");
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

  /** Without the values of parameters whose names say that they are secret. */
  static String parameters(String text, boolean blanks) {
    String s = KEY_IN_WORDS.matcher(text).replaceAll("$1" + Masking.MASK);
    StringBuilder out = new StringBuilder(s.length());
    int done = 0;
    Matcher m = PARAMETER.matcher(s);
    Matcher next = PARAMETER.matcher(s);
    Matcher number = NUMBER.matcher(s);
    for (boolean found = m.find(); found; found = m.find(Math.max(done, m.end()))) {
      int start = m.end();
      if (!isSecret(s, m.start(1), m.group(1)) || s.startsWith(Masking.MASK, start) || s.startsWith(Masking.MASK, start + 1)) continue;
      if (MEASURE.matcher(m.group(1)).find() && number.region(start, s.length()).lookingAt()) continue;
      boolean isAssigned = m.group(2) != null;
      int end = endOfValue(s, start, isAssigned);
      if (isAssigned && blanks && end < s.length() && isBare(s, start)) end = endOfWords(s, end, next);
      if (end == start) continue;
      out.append(s, done, start).append(Masking.MASK);
      done = end;
    }
    return out.append(s, done, s.length()).toString();
  }

  /** Without the password of IDENTIFIED BY x; in small letters a bare word is one only in a statement about users. */
  static String identified(String s) {
    Matcher m = IDENTIFIED.matcher(s);
    StringBuilder out = new StringBuilder(s.length());
    int done = 0;
    boolean isInStatement = false;
    while (m.find()) {
      int start = m.end();
      if (m.start() < done) continue;
      String word = m.group(2);
      if (word == null) isInStatement = m.group(1) != null;
      if (word == null || s.charAt(start) == '?' || s.startsWith(Masking.MASK, start) || s.startsWith(Masking.MASK, start + 1)) continue;
      boolean isQuoted = s.charAt(start) == '"' || s.charAt(start) == '\'';
      boolean isProse = word.equals("Identified") && m.group(3).equals(m.group(3).toLowerCase(Locale.ROOT));
      if (!isInStatement && (isQuoted ? isProse : !word.equals("IDENTIFIED"))) continue;
      out.append(s, done, start).append(Masking.MASK);
      done = isQuoted ? Ends.ofQuoted(s, start) : Ends.of(s, start, ";,)");
    }
    return out.append(s, done, s.length()).toString();
  }

  /** Without the values of secret options, written as in SQL. */
  static String options(String s) {
    StringBuilder out = new StringBuilder(s.length());
    int done = 0;
    Matcher m = SQL_OPTION.matcher(s);
    for (boolean found = m.find(); found; found = m.find(Math.max(done, m.end()))) {
      String name = m.group(1);
      int start = m.end();
      if (!isSecret(name) || start == m.end(1) && m.start(1) > 0 && s.charAt(m.start(1) - 1) == s.charAt(start)) continue; // "name": …
      boolean isRaw = s.charAt(start) == 'r' || s.charAt(start) == 'R';
      out.append(s, done, start).append('\'').append(Masking.MASK).append('\'');
      done = isRaw ? Ends.ofLiteral(s, start + 1) : Ends.ofQuoted(s, start);
    }
    return out.append(s, done, s.length()).toString();
  }

  /** Whether the name of an option or a column says that its value is secret. */
  static boolean isSecret(String name) {
    return SECRET_WORD.matcher(name).find() || SHORT.matcher(name).find();
  }

  /** Whether a name says that its value is secret; code and key do in the parameters of a URL. */
  private static boolean isSecret(String s, int start, String name) {
    if (SECRET_WORD.matcher(name).find()) return true;
    char before = start == 0 ? ' ' : s.charAt(start - 1);
    boolean isEncoded = before == '%' && (name.startsWith("26") || name.startsWith("3F") || name.startsWith("3f"));
    String own = isEncoded ? name.substring(2) : name;
    if (own.equalsIgnoreCase("pass") || own.equalsIgnoreCase("sig")) return true;
    if (SHORT.matcher(own).find() && before != '/') return true; // behind a / it is a partition
    return URL_NAME.matcher(own).matches() && (isEncoded || before == '?' || before == '&');
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
    if (c == '"' || c == '\'') return Ends.ofQuoted(s, start);
    if (isPrefixed(s, start)) return Ends.ofQuoted(s, start + 1);
    if (c == '{') return isAssigned ? Ends.ofBraced(s, start) : Ends.ofObject(s, start);
    if (s.startsWith("\\\"", start) || s.startsWith("\\'", start)) return Ends.ofPair(s, start);
    return Ends.of(s, start, "&;");
  }

  /** Behind the words that go on with a value, up to the next parameter, & or ; or the end of the line. */
  private static int endOfWords(String s, int start, Matcher parameter) {
    int end = start;
    while (true) {
      int i = end;
      while (i < s.length() && (s.charAt(i) == ' ' || s.charAt(i) == '\t')) i++;
      if (i == end || Ends.of(s, i, "&;") == i || parameter.region(i, s.length()).lookingAt()) return end;
      end = Ends.of(s, i, "&;");
    }
  }
}
