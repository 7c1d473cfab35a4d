package sackafka;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Removes literals, long numbers and comments from a query that another database runs. If the literals cannot be found
 * reliably, the text is not captured at all.
 */
public class ForeignText {
  private static final int LONGEST = 20000;
  private static final int LONG_NUMBER = 7;
  private static final int MAX_WRAPPERS = 3;
  private static final Pattern ANSI = Pattern.compile("(?i)sql_?mode[^&;]*\\bansi");

  private final String text;

  private ForeignText(String text) {
    this.text = text;
  }

  public String toString() {
    return text;
  }

  /**
   * kinds: by the kind of a URL what is special in its SQL: "text" where double quotes are around literals, "doubtful" where
   * they may be, "brackets" where [names] are, "wrapper" where the kind stands behind it. Null where the text stays in the driver.
   * A URL of MySQL may state that they enclose names; these are in backquotes then.
   */
  static ForeignText of(String url, String sql, Map kinds, Masking masking) {
    String special = special(url, kinds);
    if (special == null || sql.length() > LONGEST) return null;
    boolean ansi = special.equals("text") && ANSI.matcher(url).find();
    String shown = without(sql, special.equals("text"), special.equals("doubtful"), special.equals("brackets"), ansi);
    return shown == null ? null : new ForeignText(masking.names(shown));
  }

  private static String special(String url, Map kinds) {
    String rest = url.trim();
    if (!rest.regionMatches(true, 0, "jdbc:", 0, 5)) return null;
    String[] parts = rest.substring(5).split(":", MAX_WRAPPERS + 1);
    for (int i = 0; i < parts.length && i < MAX_WRAPPERS; i++) {
      String special = (String) kinds.get(parts[i].toLowerCase(Locale.ROOT));
      if (special == null || !special.equals("wrapper")) return special;
    }
    return null;
  }

  private static String without(String s, boolean text, boolean doubtful, boolean brackets, boolean ansi) {
    StringBuilder out = new StringBuilder(s.length());
    int n = s.length();
    int i = 0;
    while (i < n) {
      char c = s.charAt(i);
      char next = i + 1 < n ? s.charAt(i + 1) : ' ';
      int end = i + 1;
      if (c == '\'' || c == '"' && text && !ansi) {
        if (isUncertain(s, i, text)) return null;
        end = ofQuoted(s, i, c);
        if (end < 0) return null;
        if (isPrefixed(s, i, "xXbB")) out.setLength(out.length() - 1);
        out.append("'?'");
      } else if (c == '"' || c == '`' || c == '[' && brackets) {
        end = ofQuoted(s, i, c == '[' ? ']' : c);
        if (end < 0) return null;
        if (c == '"' && ansi) {
          if (s.substring(i, end).indexOf('`') >= 0) return null;
          out.append('`').append(s.substring(i + 1, end - 1).replace("\"\"", "\"")).append('`');
        } else out.append(c == '"' && doubtful && !isName(s, i, end) ? "\"?\"" : s.substring(i, end));
      } else if (c == '-' && next == '-' || c == '#' && text) {
        if (c == '-' && text && i + 2 < n && !Character.isWhitespace(s.charAt(i + 2))) return null; // of MySQL two signs
        end = ofLine(s, i);
        if (s.charAt(end - 1) == '\\') return null; // for some the remark goes on
        out.append(' ');
      } else if (c == '/' && next == '/') return null; // a remark, or a division
      else if (c == '/' && next == '*') {
        end = s.indexOf("*/", i + 2);
        // What MySQL runs, and what ends further behind elsewhere.
        if (end < 0 || s.charAt(i + 2) == '!' || s.substring(i + 2, end).indexOf("/*") >= 0) return null;
        end += 2;
        out.append(' ');
      } else if (c == '$' && isTag(s, i)) return null;
      else if (Character.isDigit(c) && (i == 0 || !Character.isJavaIdentifierPart(s.charAt(i - 1)))) {
        boolean hex = c == '0' && (next == 'x' || next == 'X');
        while (end < n && (hex ? Character.isLetterOrDigit(s.charAt(end)) : Character.isDigit(s.charAt(end)))) end++;
        out.append(hex || end - i >= LONG_NUMBER ? "0" : s.substring(i, end));
      } else out.append(c);
      i = end;
    }
    return out.toString();
  }

  /** Behind a text in quotes, two of which stand for one; -1 where it does not end, or a backslash may keep it from ending. */
  private static int ofQuoted(String s, int start, char close) {
    for (int i = start + 1; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '\\' && i + 1 < s.length() && s.charAt(i + 1) == close) return -1;
      if (c != close) continue;
      if (i + 1 == s.length() || s.charAt(i + 1) != close) return i + 1;
      i++;
    }
    return -1;
  }

  /** Whether a text in double quotes can only be a name: a part of a longer one, a table, or an alias. */
  private static boolean isName(String s, int start, int end) {
    int behind = behindWord(s, start);
    int at = startOfWord(s, behind);
    if (behind > 0 && s.charAt(behind - 1) == '.' || s.substring(end).trim().startsWith(".")) return true;
    String word = s.substring(at, behind).toLowerCase(Locale.ROOT);
    int before = behindWord(s, at);
    return word.equals("join")
        || word.equals("as")
        || word.equals("from") && !s.substring(startOfWord(s, before), before).equalsIgnoreCase("distinct");
  }

  private static int behindWord(String s, int i) {
    while (i > 0 && Character.isWhitespace(s.charAt(i - 1))) i--;
    return i;
  }

  private static int startOfWord(String s, int i) {
    while (i > 0 && Character.isJavaIdentifierPart(s.charAt(i - 1))) i--;
    return i;
  }

  private static int ofLine(String s, int start) {
    int i = start;
    while (i < s.length() && s.charAt(i) != '\n' && s.charAt(i) != '\r') i++;
    return i;
  }

  /** Oracle's q'[…]', and where backslashes escape also texts in three quotes. */
  private static boolean isUncertain(String s, int start, boolean text) {
    if (isPrefixed(s, start, "qQ")) return true;
    if (start > 1 && "qQ".indexOf(s.charAt(start - 1)) >= 0 && "nN".indexOf(s.charAt(start - 2)) >= 0) return true;
    char c = s.charAt(start);
    return text && start + 2 < s.length() && s.charAt(start + 1) == c && s.charAt(start + 2) == c;
  }

  private static boolean isPrefixed(String s, int start, String letters) {
    return start > 0
        && letters.indexOf(s.charAt(start - 1)) >= 0
        && (start == 1 || !Character.isJavaIdentifierPart(s.charAt(start - 2)));
  }

  /** $$ or $tag$, which begin a text. */
  private static boolean isTag(String s, int start) {
    if (start > 0 && Character.isJavaIdentifierPart(s.charAt(start - 1))) return false;
    int end = start + 1;
    while (end < s.length() && s.charAt(end) != '$' && Character.isJavaIdentifierPart(s.charAt(end))) end++;
    return end < s.length() && s.charAt(end) == '$';
  }
}
