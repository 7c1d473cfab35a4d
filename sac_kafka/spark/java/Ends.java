package sackafka;

/** Where what begins at a place of a text ends: values, texts in quotes and braces, literals and comments of SQL. */
class Ends {
  /** Where one of the characters, a blank, or the end of the text is. */
  static int of(String s, int start, String chars) {
    int i = start;
    while (i < s.length() && chars.indexOf(s.charAt(i)) < 0 && !Character.isWhitespace(s.charAt(i))) i++;
    return i;
  }

  /** Behind a text in quotes; a doubled quote stands for itself, but opens a text within a text; one not closed goes to the end. */
  static int ofQuoted(String s, int start) {
    char quote = s.charAt(start);
    boolean isDoubled = start + 2 < s.length() && s.charAt(start + 1) == quote;
    if (isDoubled && !Character.isWhitespace(s.charAt(start + 2)) && ",;)&}]\"'".indexOf(s.charAt(start + 2)) < 0) return ofPair(s, start);
    for (int i = start + 1; i < s.length(); i++) {
      if (s.charAt(i) == '\\') i++;
      else if (s.charAt(i) == quote && (i + 1 == s.length() || s.charAt(i + 1) != quote)) return i + 1;
      else if (s.charAt(i) == quote) i++;
    }
    return s.length();
  }

  /** Behind a text between the same two characters. */
  static int ofPair(String s, int start) {
    int end = s.indexOf(s.substring(start, start + 2), start + 2);
    return end < 0 ? s.length() : end + 2;
  }

  /** Behind {…}, where }} stands for one }. */
  static int ofBraced(String s, int start) {
    for (int i = start + 1; i < s.length(); i++) {
      if (s.charAt(i) != '}') continue;
      if (i + 1 == s.length() || s.charAt(i + 1) != '}') return i + 1;
      i++;
    }
    return s.length();
  }

  static int ofObject(String s, int start) {
    int depth = 0;
    for (int i = start; i < s.length(); i++) {
      if (s.charAt(i) == '{') depth++;
      else if (s.charAt(i) == '}' && --depth == 0) return i + 1;
    }
    return s.length();
  }

  /** Behind the literal that starts at the quote; in r'…' a backslash means itself. */
  static int ofLiteral(String s, int start) {
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
  static int ofLine(String s, int start) {
    for (int i = start; i < s.length(); i++) {
      char c = s.charAt(i);
      if ((c == '\n' || c == '\r') && s.charAt(i - 1) != '\\') return i;
    }
    return s.length();
  }

  /** Behind the comment; comments nest. */
  static int ofComment(String s, int start) {
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
