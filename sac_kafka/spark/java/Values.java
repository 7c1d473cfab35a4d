package sackafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.types.DataType;

/** Writes the values of fields: scalars, attributes, maps and sequences in place, any other object by reference. */
public class Values {
  private static final int NESTING = 20; // objects within objects; plans and expressions are not nested
  private static final int LONGEST_SEQUENCE = 10000;
  private static final int MAX_KEYS = 1000;

  private final Projection projection;
  private final Records records;
  private final Texts texts;
  private final ColumnNames names;

  public Values(Projection projection, Records records, Texts texts, ColumnNames names) {
    this.projection = projection;
    this.records = records;
    this.texts = texts;
    this.names = names;
  }

  public void value(Object wrapped, Specification.Accessor a, StringBuilder to, int depth) {
    Object o = Containers.unwrap(wrapped);
    if (o == null) to.append("null");
    else if (o instanceof Boolean) to.append(o.toString());
    else if (o instanceof Number) Records.quote(o.toString(), to);
    else if (o instanceof ForeignText) Records.quote(o.toString(), to);
    else if (o instanceof CharSequence || o instanceof Character || o instanceof Enum || o instanceof java.util.UUID)
      text(o.toString(), to);
    else if (o instanceof java.net.URI) text(new org.apache.hadoop.fs.Path((java.net.URI) o).toString(), to);
    else if (o instanceof org.apache.hadoop.fs.Path) text(o.toString(), to);
    else if (o instanceof DataType) text(((DataType) o).catalogString(), to);
    else if (o instanceof Class) Records.quote(((Class) o).getName(), to);
    else if (o instanceof scala.Enumeration.Value) text(o.toString(), to);
    else if (o instanceof scala.collection.Map || o instanceof Map) map(o, a, to);
    else if (Containers.isSequence(o)) sequence(o, a, to, depth);
    else if (o instanceof Attribute) attribute((Attribute) o, to);
    else if (depth > NESTING) {
      records.note("nested too deep: " + o.getClass().getName());
      to.append("null");
    } else to.append(projection.reference(o, depth));
  }

  private void sequence(Object o, Specification.Accessor a, StringBuilder to, int depth) {
    to.append('[');
    Iterator it = Containers.elements(o);
    for (int n = 0; it.hasNext(); n++) {
      if (n == LONGEST_SEQUENCE) {
        records.note("sequence cut: " + a.name);
        break;
      }
      if (n > 0) to.append(',');
      value(it.next(), a, to, depth + 1);
    }
    to.append(']');
  }

  private static boolean isExcluded(String key, String[] rules) {
    for (int i = 1; i < rules.length; i++) if (key.startsWith(rules[i].substring(1))) return true;
    return false;
  }

  /** Only the keys that the specification names travel, in its spelling; after * all but those with its prefixes. */
  private void map(Object o, Specification.Accessor a, StringBuilder to) {
    to.append('{');
    if (a.keys == null) records.note("map without a list of keys: " + a.name);
    else {
      boolean any = a.keys[0].equals("*");
      List keys = any ? new ArrayList() : java.util.Arrays.asList(a.keys);
      Map values = new HashMap();
      Iterator it = o instanceof Map ? ((Map) o).entrySet().iterator() : Containers.elements(o);
      while (it.hasNext()) {
        Object e = it.next();
        Object k = e instanceof Map.Entry ? ((Map.Entry) e).getKey() : ((scala.Tuple2) e)._1();
        Object v = e instanceof Map.Entry ? ((Map.Entry) e).getValue() : ((scala.Tuple2) e)._2();
        if (k == null || !(v instanceof String)) continue;
        String key = k.toString();
        values.put(any ? key : key.toLowerCase(java.util.Locale.ROOT), v);
        if (any && !isExcluded(key, a.keys)) keys.add(key);
      }
      if (any) java.util.Collections.sort(keys);
      if (any && keys.size() > MAX_KEYS) {
        records.note("map cut: " + a.name);
        keys = keys.subList(0, MAX_KEYS);
      }
      boolean first = true;
      for (int i = 0; i < keys.size(); i++) {
        String key = (String) keys.get(i);
        String v = (String) values.get(any ? key : key.toLowerCase(java.util.Locale.ROOT));
        if (v == null) continue;
        if (!first) to.append(',');
        first = false;
        Records.quote(any ? texts.text(key) : key, to);
        to.append(':');
        Records.quote(any ? texts.option(key, v) : texts.naming(key, v), to);
      }
    }
    to.append('}');
  }

  private void attribute(Attribute a, StringBuilder to) {
    try {
      StringBuilder r = new StringBuilder("[\"").append(a.exprId().id()).append("\",");
      text(names.of(a), r);
      r.append(',');
      text(a.dataType().catalogString(), r);
      to.append(r.append(',').append(a.nullable()).append(']'));
    } catch (RuntimeException e) {
      records.note("unresolved attribute");
      to.append("null");
    }
  }

  private void text(String s, StringBuilder to) {
    Records.quote(texts.text(s), to);
  }
}
