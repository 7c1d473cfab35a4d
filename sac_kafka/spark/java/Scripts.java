package sackafka;

import java.util.Arrays;
import java.util.List;

/** SQL scripts (BEGIN … END of Spark 4): each statement has the text of the whole script, and says where in it it is. */
public class Scripts {
  private static final List BEFORE_A_STATEMENT =
      Arrays.asList(new Object[] {"begin", "then", "else", "do", "loop", "repeat"});

  /** The statement at a position of a script; a text that is not a script is returned unchanged. */
  public static String statement(String text, int position) {
    if (!isScript(text)) return text;
    int start = 0;
    boolean isFirst = true; // nothing of the statement was seen yet
    int cases = 0; // CASE … END as an expression: its THEN and ELSE are in a statement
    String before = "";
    for (int at = 0; at < position && at < text.length(); ) {
      int next = after(text, at);
      if (Character.isLetterOrDigit(text.charAt(at))) {
        String word = text.substring(at, next).toLowerCase(java.util.Locale.ROOT);
        boolean begins = cases == 0 && next <= position && BEFORE_A_STATEMENT.contains(word);
        if (word.equals("case") && !isFirst && !before.equals("end")) cases++;
        else if (word.equals("end") && cases > 0) cases--;
        if (begins) start = next;
        isFirst = begins;
        before = word;
      } else if (text.charAt(at) == ';') {
        start = next;
        isFirst = true;
        cases = 0;
      } else if (isComment(text, at)) {
        if (isFirst) start = next;
      } else if (!Character.isWhitespace(text.charAt(at))) isFirst = false;
      at = next;
    }
    int end = start;
    while (end < text.length() && text.charAt(end) != ';') end = after(text, end);
    return text.substring(start, end).trim();
  }

  private static boolean isScript(String text) {
    int at = 0;
    while (at < text.length() && (Character.isWhitespace(text.charAt(at)) || isComment(text, at))) at = after(text, at);
    return text.substring(at, after(text, at)).equalsIgnoreCase("begin");
  }

  private static boolean isComment(String text, int at) {
    return text.startsWith("--", at) || text.startsWith("/*", at);
  }

  /** The position behind what begins at a position: a word, a quoted name or value, a comment, or a character. */
  private static int after(String text, int at) {
    if (at >= text.length()) return at;
    char c = text.charAt(at);
    int end = at + 1;
    boolean isRaw = (c == 'r' || c == 'R') && end < text.length() && "'\"".indexOf(text.charAt(end)) >= 0;
    if (isRaw) end = text.indexOf(text.charAt(end), end + 1) < 0 ? text.length() : text.indexOf(text.charAt(end), end + 1) + 1;
    else if (Character.isLetterOrDigit(c)) {
      while (end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) end++;
    } else if (c == '\'' || c == '"' || c == '`') {
      while (end < text.length() && text.charAt(end) != c) end += text.charAt(end) == '\\' && c != '`' ? 2 : 1;
      end++;
    } else if (text.startsWith("--", at)) {
      while (end < text.length() && text.charAt(end) != '\n') end++;
      end++;
    } else if (text.startsWith("/*", at)) {
      int last = text.indexOf("*/", at + 2);
      end = last < 0 ? text.length() : last + 2;
    }
    return Math.min(end, text.length());
  }
}
