package sackafka;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes passwords and tokens out of the addresses in a text: URLs, and those of Oracle's driver. */
class Addresses {
  private static final Pattern ORACLE = Pattern.compile("(?i)jdbc:oracle:\\w{1,20}:");

  /** Without any of these. */
  static String masked(String s) {
    return oracleUsers(users(s));
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
        out.append(s, done, user).append(Masking.MASK);
        done = i;
      } else if (s.charAt(i) == ':' && !isPort(s, i + 1)) {
        if (i >= wordEnd) {
          wordEnd = Ends.of(s, i, "?#");
          for (lastAt = wordEnd - 1; lastAt > i && s.charAt(lastAt) != '@'; ) lastAt--;
        }
        int end = lastAt > i ? lastAt : Ends.of(s, wordEnd, "@/&");
        if (end < s.length() && s.charAt(end) == '@') {
          out.append(s, done, i + 1).append(Masking.MASK);
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
        wordEnd = Ends.of(s, start, "");
        int described = s.substring(start, wordEnd).indexOf("@(");
        for (lastAt = described < 0 ? wordEnd - 1 : start + described; lastAt > start && s.charAt(lastAt) != '@'; ) lastAt--;
      }
      if (lastAt <= start) continue;
      int slash = Ends.of(s, start, "/@");
      if (slash >= lastAt || s.charAt(slash) != '/') continue;
      out.append(s, done, slash + 1).append(Masking.MASK);
      done = lastAt;
    }
    return out.append(s, done, s.length()).toString();
  }
}
