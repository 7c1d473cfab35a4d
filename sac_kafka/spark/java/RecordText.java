package sackafka;

import java.util.ArrayList;
import java.util.List;

/** Goes through the text of an event, value by value: JSON as `Projection` writes it, without blanks. */
public class RecordText {
  private final String text;
  private int at;

  /** Begins at the records of a line. */
  public RecordText(String line) {
    this.text = line;
    this.at = line.indexOf(",[") + 1;
  }

  public int at() {
    return at;
  }

  /** Goes back, or on, to a place. */
  public void to(int place) {
    at = place;
  }

  public char next() {
    return text.charAt(at);
  }

  /** Whether the value here is a number in quotes. */
  public boolean isDecimal() {
    if (next() != '"') return false;
    int i = at + 1;
    while (text.charAt(i) >= '0' && text.charAt(i) <= '9') i++;
    return i > at + 1 && text.charAt(i) == '"';
  }

  /** Passes over a character. */
  public void pass() {
    at++;
  }

  /** Passes over a comma, where there is one before the next value; false where the list ends. */
  public boolean hasMore() {
    if (next() == ',') at++;
    return next() != ']';
  }

  /** Passes over the value here, and gives it. */
  public String value() {
    int start = at;
    int depth = 0;
    do {
      char c = next();
      if (c == '"') {
        while (text.charAt(++at) != '"') if (next() == '\\') at++;
        at++;
      } else if (c == '[' || c == '{') {
        depth++;
        at++;
      } else if (c == ']' || c == '}') {
        depth--;
        at++;
      } else if (c == ',' || c == ':') at++;
      else while (",]}".indexOf(next()) < 0) at++;
    } while (depth > 0);
    return text.substring(start, at);
  }

  /** The string here, without what its escapes mean: names and numbers have none. */
  public String string() {
    String quoted = value();
    return quoted.substring(1, quoted.length() - 1);
  }

  /** The list of strings here. */
  public String[] strings() {
    List found = new ArrayList();
    pass();
    while (hasMore()) found.add(string());
    pass();
    return (String[]) found.toArray(new String[0]);
  }

  /** The list of columns here: their ids, and their names. */
  public String[] columns() {
    StringBuilder ids = new StringBuilder();
    StringBuilder names = new StringBuilder();
    pass();
    while (hasMore()) {
      if (next() == '[') {
        int start = at;
        pass();
        ids.append(value()).append(',');
        pass();
        names.append(value()).append(',');
        at = start;
      }
      value();
    }
    pass();
    return new String[] {ids.toString(), names.toString()};
  }
}
