package sackafka;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/** The text of one event while it is made: its records, the numbers that they are referred to by, and its notes. */
public class Records {
  private final StringBuilder out = new StringBuilder(2048).append('[');
  private final Map classes = new HashMap(); // class name -> Integer
  private final IdentityHashMap written = new IdentityHashMap(); // object -> Integer
  private final TreeMap notes = new TreeMap();
  private int records = 0;

  /** Something was cut, missing or masked away. */
  public void note(String what) {
    Integer n = (Integer) notes.get(what);
    notes.put(what, Integer.valueOf(n == null ? 1 : n.intValue() + 1));
  }

  /** The number of the record of an object; null where it has none yet. */
  public Integer numberOf(Object o) {
    return (Integer) written.get(o);
  }

  public boolean contains(Object o) {
    return written.containsKey(o);
  }

  /** Adds the record of an object and gives its number. */
  public int add(Object o, CharSequence record) {
    append(record);
    int number = records++;
    written.put(o, Integer.valueOf(number));
    return number;
  }

  /** The number of a class, which is written now, with the names of its fields, if it has none yet. */
  public int classNumber(Specification.Shape shape) {
    Integer known = (Integer) classes.get(shape.name);
    if (known != null) return known.intValue();
    StringBuilder r = new StringBuilder("[\"c\",");
    quote(shape.name, r);
    r.append(",[");
    for (int i = 0; i < shape.accessors.size(); i++) {
      if (i > 0) r.append(',');
      quote(((Specification.Accessor) shape.accessors.get(i)).name, r);
    }
    append(r.append("]]"));
    Integer number = Integer.valueOf(classes.size());
    classes.put(shape.name, number);
    return number.intValue();
  }

  /** All of the text; the notes come last. */
  public String end() {
    Iterator it = notes.entrySet().iterator();
    while (it.hasNext()) {
      Map.Entry e = (Map.Entry) it.next();
      StringBuilder note = new StringBuilder("[\"n\",");
      quote((String) e.getKey(), note);
      append(note.append(',').append(e.getValue()).append(']'));
    }
    return out.append(']').toString();
  }

  private void append(CharSequence record) {
    if (out.length() > 1) out.append(',');
    out.append(record);
  }

  /** Adds a string of JSON. */
  public static void quote(String s, StringBuilder to) {
    to.append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '"' || c == '\\') to.append('\\').append(c);
      else if (c < ' ' || c == '\u2028' || c == '\u2029' || Character.isSurrogate(c))
        to.append("\\u").append(Integer.toHexString(0x10000 | c).substring(1));
      else to.append(c);
    }
    to.append('"');
  }
}
