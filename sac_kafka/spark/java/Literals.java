package sackafka;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes literals and remarks out of statements. */
class Literals {
  private static final int LONG_NUMBER = 7;
  /** Words right before a path or a comment; only in COMMENT ON … IS may a literal follow IS. */
  private static final List NAMING =
      Arrays.asList(new Object[] {"DIRECTORY", "LOCATION", "INPATH", "PATH", "COMMENT", "IS"});
  private static final int LONGEST_NAMING = 9;
  /** The remark that dbt puts before a statement: JSON, of which the name of the model stays. */
  private static final Pattern DBT =
      Pattern.compile("/\\*\\s{0,9}\\{\"app\": \"dbt\",[^*]{0,999}\"node_id\": \"([A-Za-z0-9_.]{1,300})\"");

  /**
   * A statement with `?` for long numbers and for string literals but paths and COMMENT; without its remarks (hints stay, and
   * which model of dbt it is for).
   */
  static String without(String s) {
    StringBuilder out = new StringBuilder(s.length());
    int n = s.length();
    int i = 0;
    int named = -1; // where a name in quotes has ended
    while (i < n) {
      char c = s.charAt(i);
      if (c == '\'' || c == '"') {
        int end = Ends.ofLiteral(s, i);
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
        i = Ends.ofLine(s, i);
      } else if (s.startsWith("/*", i) && !s.startsWith("/*+", i)) {
        int end = Ends.ofComment(s, i);
        Matcher dbt = DBT.matcher(s).region(i, end);
        if (dbt.lookingAt()) out.append("/* dbt ").append(dbt.group(1)).append(" */");
        else out.append(' ');
        i = end;
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
    return out.toString();
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
}
