package sackafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogEvent;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * One event as one line of text: a JSON array of flat records, each object once, in post-order, so that every reference
 * points backwards and neither side needs recursion over plans or expressions.
 *
 * <pre>
 * ["c", class, [field ...]]                           a class, numbered from 0 in order of appearance
 * ["p", class number, [child ...], [subquery ...], [field value ...], 1]
 *                                                     a logical plan; "w" for a Command; 1 where its columns were cut
 * ["e", class number, [child ...], [field value ...]] an expression
 * ["o", class number, [field value ...]]              any other object; the event itself is the last one
 * ["n", what happened, how often]                     a note: something was cut, missing or masked away
 * </pre>
 *
 * Records other than c and n are numbered from 0. In a value an integer is a reference: n >= 0 to record n, n < 0 to the
 * attribute with exprId -n-1. Numbers of Spark's are text. An attribute that is defined is ["id", name, type, nullable].
 */
public class Projection {
  private static final int NESTING = 20; // objects within objects; plans and expressions are not nested
  private static final int LONGEST_SEQUENCE = 10000;
  private static final int LONGEST_TEXT = 30000;
  private static final int MOST_KEYS = 1000;

  /** A plan on its way into the text. */
  private static class Node {
    LogicalPlan plan;
    Specification.Shape shape;
    List children = new ArrayList(); // of LogicalPlan
    List subqueries = new ArrayList(); // of LogicalPlan
    List needs = new ArrayList(); // of LogicalPlan: written before this one
    Object[] values; // of the declared accessors
    int cost; // expressions and attributes
    boolean cut;
    int next; // the next of needs to visit
  }

  private final Specification specification;
  private final Masking masking;
  private final Definitions definitions;
  private final boolean literals;
  private final boolean planText;
  private final int budget;

  private final StringBuilder out = new StringBuilder(2048);
  private final Map classes = new HashMap(); // class name -> Integer
  private final IdentityHashMap written = new IdentityHashMap(); // object -> Integer
  private final Map generated = new HashMap(); // name of a column that quotes literals -> the name without them
  private final TreeMap notes = new TreeMap();
  private int records = 0;
  private boolean failed = false;
  private boolean named = false; // attributes keep their names: those of a command are columns of what it writes
  private int left;

  public Projection(Specification specification, Masking masking, Definitions definitions, boolean literals, boolean planText, int budget) {
    this.specification = specification;
    this.masking = masking;
    this.definitions = definitions;
    this.literals = literals;
    this.planText = planText;
    this.budget = budget;
    this.left = budget;
  }

  /** The text of an event. */
  public String project(Object event) {
    failed = event instanceof SparkListenerSQLExecutionEnd && ((SparkListenerSQLExecutionEnd) event).executionFailure().isDefined();
    out.append('[');
    reference(event, 0);
    Iterator it = notes.entrySet().iterator();
    while (it.hasNext()) {
      Map.Entry e = (Map.Entry) it.next();
      StringBuilder note = new StringBuilder("[\"n\",");
      quote((String) e.getKey(), note);
      append(note.append(',').append(e.getValue()).append(']'));
    }
    return out.append(']').toString();
  }

  private void note(String what) {
    Integer n = (Integer) notes.get(what);
    notes.put(what, Integer.valueOf(n == null ? 1 : n.intValue() + 1));
  }

  // ---- records

  private void append(CharSequence record) {
    if (out.length() > 1) out.append(',');
    out.append(record);
  }

  private int add(Object o, CharSequence record) {
    append(record);
    int number = records++;
    written.put(o, Integer.valueOf(number));
    return number;
  }

  private int classNumber(String name, List fields) {
    Integer known = (Integer) classes.get(name);
    if (known != null) return known.intValue();
    StringBuilder r = new StringBuilder("[\"c\",");
    quote(name, r);
    r.append(",[");
    for (int i = 0; i < fields.size(); i++) {
      if (i > 0) r.append(',');
      quote((String) fields.get(i), r);
    }
    append(r.append("]]"));
    Integer number = Integer.valueOf(classes.size());
    classes.put(name, number);
    return number.intValue();
  }

  private static List names(Specification.Shape shape) {
    List names = new ArrayList();
    for (int i = 0; i < shape.accessors.size(); i++) names.add(((Specification.Accessor) shape.accessors.get(i)).name);
    return names;
  }

  // ---- values

  /** The number of the record of an object, which is written now if it has none yet. */
  private int reference(Object o, int depth) {
    Integer known = (Integer) written.get(o);
    if (known != null) return known.intValue();
    if (o instanceof LogicalPlan) return plan((LogicalPlan) o, depth);
    if (o instanceof Expression) return expression((Expression) o, depth);
    Specification.Shape shape = specification.shape(o.getClass());
    StringBuilder values = new StringBuilder();
    for (int i = 0; i < shape.accessors.size(); i++) {
      Specification.Accessor a = (Specification.Accessor) shape.accessors.get(i);
      if (i > 0) values.append(',');
      value(read(o, a), a, values, depth + 1);
    }
    int number = classNumber(shape.name, names(shape));
    return add(o, new StringBuilder("[\"o\",").append(number).append(",[").append(values).append("]]"));
  }

  private Object read(Object o, Specification.Accessor a) {
    for (int i = 0; i < a.paths.size(); i++) {
      String[] path = (String[]) a.paths.get(i);
      try {
        Object v = o;
        for (int k = 0; k < path.length && v != null; k++) v = unwrap(step(v, path[k]));
        return v;
      } catch (NoSuchMethodException e) {
        continue;
      } catch (Throwable e) {
        note("accessor failed: " + o.getClass().getName() + "." + a.name + ": " + e.getClass().getName());
        return null;
      }
    }
    note("accessor missing: " + o.getClass().getName() + "." + a.name);
    return null;
  }

  private Object step(Object o, String step) throws Throwable {
    if (step.charAt(0) != '@') return specification.step(o, step);
    if (step.equals("@sqlText")) return sqlText((LogicalPlan) o);
    if (step.equals("@viewText")) return statement((String) unwrap(((CatalogTable) o).viewText()));
    if (step.equals("@definition")) return definitions.of((ExternalCatalogEvent) o);
    if (step.equals("@isLookedUp")) return Boolean.valueOf(definitions.looksUp());
    if (step.equals("@isPlanTextWanted")) return Boolean.valueOf(planText);
    if (step.equals("@rowsWritten")) return isCommand((QueryExecution) o) ? Steps.rowsWritten((QueryExecution) o) : null;
    if (step.equals("@tableName")) return Steps.tableName((JDBCOptions) o);
    if (step.equals("@query")) return Steps.query((JDBCOptions) o);
    if (step.equals("@topics")) return Steps.topics((SaveIntoDataSourceCommand) o);
    throw new NoSuchMethodException(step);
  }

  /** What has run is planned: only then asking for the executed plan plans nothing. */
  private boolean isCommand(QueryExecution qe) {
    definitions.remember(qe.sparkSession());
    if (failed) return false;
    LogicalPlan p = qe.analyzed();
    return p instanceof Command || p instanceof Union || p instanceof WithCTE;
  }

  private static Object unwrap(Object o) {
    if (o instanceof scala.Option) return ((scala.Option) o).isEmpty() ? null : ((scala.Option) o).get();
    return o;
  }

  private void value(Object wrapped, Specification.Accessor a, StringBuilder to, int depth) {
    Object o = unwrap(wrapped);
    if (o == null) to.append("null");
    else if (o instanceof Boolean) to.append(o.toString());
    else if (o instanceof Number) quote(o.toString(), to);
    else if (o instanceof CharSequence || o instanceof Character || o instanceof Enum || o instanceof java.util.UUID)
      text(o.toString(), to);
    else if (o instanceof java.net.URI) text(new org.apache.hadoop.fs.Path((java.net.URI) o).toString(), to);
    else if (o instanceof org.apache.hadoop.fs.Path) text(o.toString(), to);
    else if (o instanceof DataType) text(((DataType) o).catalogString(), to);
    else if (o instanceof Class) quote(((Class) o).getName(), to);
    else if (o instanceof scala.Enumeration.Value) text(o.toString(), to);
    else if (o instanceof scala.collection.Map || o instanceof Map) map(o, a, to);
    else if (isSequence(o)) sequence(o, a, to, depth);
    else if (o instanceof Attribute) attribute((Attribute) o, to);
    else if (depth > NESTING) {
      note("nested too deep: " + o.getClass().getName());
      to.append("null");
    } else to.append(reference(o, depth));
  }

  private static boolean isSequence(Object o) {
    return o instanceof scala.collection.Iterable || o instanceof Collection || o instanceof Object[];
  }

  private static Iterator elements(Object o) {
    if (o instanceof Object[]) return java.util.Arrays.asList((Object[]) o).iterator();
    if (o instanceof Collection) return ((Collection) o).iterator();
    final scala.collection.Iterator it = ((scala.collection.Iterable) o).iterator();
    return new Iterator() {
      public boolean hasNext() {
        return it.hasNext();
      }

      public Object next() {
        return it.next();
      }

      public void remove() {
        throw new UnsupportedOperationException();
      }
    };
  }

  private void sequence(Object o, Specification.Accessor a, StringBuilder to, int depth) {
    to.append('[');
    Iterator it = elements(o);
    for (int n = 0; it.hasNext(); n++) {
      if (n == LONGEST_SEQUENCE) {
        note("sequence cut: " + a.name);
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
    if (a.keys == null) note("map without a list of keys: " + a.name);
    else {
      boolean any = a.keys[0].equals("*");
      List keys = any ? new ArrayList() : java.util.Arrays.asList(a.keys);
      Map values = new HashMap();
      Iterator it = o instanceof Map ? ((Map) o).entrySet().iterator() : elements(o);
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
      if (any && keys.size() > MOST_KEYS) {
        note("map cut: " + a.name);
        keys = keys.subList(0, MOST_KEYS);
      }
      boolean first = true;
      for (int i = 0; i < keys.size(); i++) {
        String key = (String) keys.get(i);
        String v = (String) values.get(any ? key : key.toLowerCase(java.util.Locale.ROOT));
        if (v == null) continue;
        if (!first) to.append(',');
        first = false;
        quote(any ? bounded(masking.text(maskable(key))) : key, to);
        to.append(':');
        quote(bounded(masking.option(key, maskable(v))), to);
      }
    }
    to.append('}');
  }

  private void attribute(Attribute a, StringBuilder to) {
    try {
      StringBuilder r = new StringBuilder("[\"").append(a.exprId().id()).append("\",");
      String generic = named ? null : (String) generated.get(a.name());
      text(generic == null ? a.name() : generic, r);
      r.append(',');
      text(a.dataType().catalogString(), r);
      to.append(r.append(',').append(a.nullable()).append(']'));
    } catch (RuntimeException e) {
      note("unresolved attribute");
      to.append("null");
    }
  }

  private void text(String s, StringBuilder to) {
    quote(bounded(masking.text(maskable(s))), to);
  }

  /** What is masked is longer than what is shown, so that no cut makes a secret look like something else. */
  private static String maskable(String s) {
    return s.length() <= 4 * LONGEST_TEXT ? s : s.substring(0, 4 * LONGEST_TEXT);
  }

  private String bounded(String s) {
    if (s.length() <= LONGEST_TEXT) return s;
    note("text cut");
    int end = Character.isHighSurrogate(s.charAt(LONGEST_TEXT - 1)) ? LONGEST_TEXT - 1 : LONGEST_TEXT;
    return s.substring(0, end) + "\u2026";
  }

  private static void quote(String s, StringBuilder to) {
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

  // ---- expressions

  private int expression(Expression root, int depth) {
    ArrayDeque stack = new ArrayDeque();
    stack.push(root);
    while (!stack.isEmpty()) {
      Expression e = (Expression) stack.peek();
      if (written.containsKey(e)) {
        stack.pop();
        continue;
      }
      boolean ready = true;
      scala.collection.Iterator children = e.children().iterator();
      while (children.hasNext()) {
        Object child = children.next();
        if (!(child instanceof AttributeReference) && !written.containsKey(child)) {
          ready = false;
          stack.push(child);
        }
      }
      if (!ready) continue;
      stack.pop();
      write(e, depth);
    }
    return ((Integer) written.get(root)).intValue();
  }

  private void write(Expression e, int depth) {
    if (e instanceof Alias) withoutLiterals((Alias) e);
    Specification.Shape shape = specification.shape(e.getClass());
    StringBuilder r = new StringBuilder(",[");
    scala.collection.Iterator children = e.children().iterator();
    for (int n = 0; children.hasNext(); n++) {
      if (n > 0) r.append(',');
      r.append(operand((Expression) children.next(), depth));
    }
    r.append(']');
    if (shape.declared) {
      r.append(",[");
      for (int i = 0; i < shape.accessors.size(); i++) {
        Specification.Accessor a = (Specification.Accessor) shape.accessors.get(i);
        if (i > 0) r.append(',');
        Object v = read(e, a);
        Object generic = e instanceof Alias && v instanceof String ? generated.get(v) : null;
        field(generic == null ? v : generic, a, r, depth);
      }
      r.append(']');
    }
    int number = classNumber(shape.name, names(shape));
    add(e, new StringBuilder("[\"e\",").append(number).append(r).append(']'));
  }

  /** A column without a name of its own is named by its expression: concat(x, SECRET). The literals stay here. */
  private void withoutLiterals(Alias alias) {
    String name = alias.name();
    if (generated.containsKey(name)) return;
    String generic = name;
    ArrayDeque stack = new ArrayDeque();
    stack.push(alias.child());
    while (!stack.isEmpty()) {
      Expression e = (Expression) stack.pop();
      if (e instanceof Literal) {
        Object value = ((Literal) e).value();
        String text = value instanceof UTF8String ? value.toString() : "";
        boolean whole = generic.equals(text);
        if (text.length() > 0 && (whole || generic.indexOf('(') >= 0)) generic = generic.replace(text, "?");
      }
      scala.collection.Iterator children = e.children().iterator();
      while (children.hasNext()) stack.push(children.next());
    }
    if (!generic.equals(name)) generated.put(name, generic);
  }

  private long operand(Expression e, int depth) {
    if (e instanceof AttributeReference) return -((AttributeReference) e).exprId().id() - 1;
    Integer known = (Integer) written.get(e);
    return known != null ? known.intValue() : expression(e, depth);
  }

  // ---- plans

  private int plan(LogicalPlan root, int depth) {
    List order = collect(root);
    afford(order, true);
    afford(order, false);
    for (int i = 0; i < order.size(); i++) write((Node) order.get(i), depth);
    return ((Integer) written.get(root)).intValue();
  }

  /** The plans below and within the root, each once, what it needs before it. */
  private List collect(LogicalPlan root) {
    List order = new ArrayList();
    IdentityHashMap seen = new IdentityHashMap();
    ArrayDeque stack = new ArrayDeque();
    seen.put(root, Boolean.TRUE);
    stack.push(node(root));
    while (!stack.isEmpty()) {
      Node n = (Node) stack.peek();
      if (n.next < n.needs.size()) {
        LogicalPlan p = (LogicalPlan) n.needs.get(n.next++);
        if (!written.containsKey(p) && seen.put(p, Boolean.TRUE) == null) stack.push(node(p));
      } else {
        stack.pop();
        order.add(n);
      }
    }
    return order;
  }

  private Node node(LogicalPlan p) {
    Node n = new Node();
    n.plan = p;
    n.shape = specification.shape(p.getClass());
    plans(p.children(), n.children);
    n.values = new Object[n.shape.accessors.size()];
    for (int i = 0; i < n.values.length; i++) {
      Specification.Accessor a = (Specification.Accessor) n.shape.accessors.get(i);
      n.values[i] = read(p, a);
      if (isCuttable(a)) n.cost += isSequence(n.values[i]) ? size(n.values[i]) : 1;
      else plans(n.values[i], n.children);
    }
    if (!n.shape.declared) hidden(n);
    expressions(n);
    n.needs.addAll(n.children);
    n.needs.addAll(n.subqueries);
    return n;
  }

  /** Some commands hold their input plans in constructor fields only (Delta MERGE, Hudi MERGE, clones). */
  private void hidden(Node n) {
    try {
      plans(n.plan.innerChildren(), n.children);
      if (n.children.isEmpty()) {
        scala.collection.Iterator it = ((scala.Product) n.plan).productIterator();
        while (it.hasNext()) plans(it.next(), n.children);
      }
    } catch (Throwable e) {
      note("accessor failed: " + n.plan.getClass().getName() + ".productIterator: " + e.getClass().getName());
    }
  }

  private static void plans(Object wrapped, List to) {
    Object o = unwrap(wrapped);
    if (o instanceof LogicalPlan) {
      for (int i = 0; i < to.size(); i++) if (to.get(i) == o) return; // equals would compare whole plans
      to.add(o);
    } else if (o instanceof scala.collection.Seq) {
      Iterator it = elements(o);
      while (it.hasNext()) {
        Object e = unwrap(it.next());
        if (e instanceof LogicalPlan) plans(e, to);
      }
    }
  }

  private static boolean isCuttable(Specification.Accessor a) {
    return !a.kind.equals("identity");
  }

  private static int size(Object o) {
    if (o instanceof Object[]) return ((Object[]) o).length;
    return o instanceof Collection ? ((Collection) o).size() : ((scala.collection.Iterable) o).size();
  }

  /** Finds the plans of subqueries and what the expressions cost. */
  private void expressions(Node n) {
    try {
      ArrayDeque stack = new ArrayDeque();
      scala.collection.Iterator it = n.plan.expressions().iterator();
      while (it.hasNext()) stack.push(it.next());
      while (!stack.isEmpty()) {
        Expression e = (Expression) stack.pop();
        n.cost++;
        if (e instanceof PlanExpression) plans(((PlanExpression) e).plan(), n.subqueries);
        scala.collection.Iterator children = e.children().iterator();
        while (children.hasNext()) stack.push(children.next());
      }
    } catch (Throwable e) {
      note("accessor failed: " + n.plan.getClass().getName() + ".expressions: " + e.getClass().getName());
    }
  }

  /** Columns as long as the budget lasts: first those of leaves and commands, then those between. */
  private void afford(List order, boolean ends) {
    for (int i = 0; i < order.size(); i++) {
      Node n = (Node) order.get(i);
      boolean end = n.children.isEmpty() || n.plan instanceof Command;
      if (end != ends) continue;
      if (n.cost <= left) left -= n.cost;
      else {
        n.cut = true;
        note("columns cut");
      }
    }
  }

  private void write(Node n, int depth) {
    StringBuilder r = new StringBuilder(",[");
    references(n.children, r, depth);
    r.append("],[");
    references(n.subqueries, r, depth);
    r.append("],[");
    named = n.plan instanceof Command;
    for (int i = 0; i < n.values.length; i++) {
      Specification.Accessor a = (Specification.Accessor) n.shape.accessors.get(i);
      if (i > 0) r.append(',');
      if (n.cut && isCuttable(a)) r.append("null");
      else field(n.values[i], a, r, depth);
    }
    named = false;
    r.append(n.cut ? "],1" : "]");
    int number = classNumber(n.shape.name, names(n.shape));
    String kind = n.plan instanceof Command ? "[\"w\"," : "[\"p\",";
    add(n.plan, new StringBuilder(kind).append(number).append(r).append(']'));
  }

  /** The value of a field; expressions by reference, also in sequences of sequences. */
  private void field(Object v, Specification.Accessor a, StringBuilder to, int depth) {
    if (!a.kind.equals("expressions")) value(v, a, to, depth + 1);
    else if (v instanceof Expression) to.append(operand((Expression) v, depth));
    else if (v != null && isSequence(v)) {
      to.append('[');
      Iterator it = elements(v);
      for (int n = 0; it.hasNext(); n++) {
        if (n > 0) to.append(',');
        field(it.next(), a, to, depth);
      }
      to.append(']');
    } else value(v, a, to, depth + 1);
  }

  private void references(List plans, StringBuilder to, int depth) {
    for (int i = 0; i < plans.size(); i++) {
      if (i > 0) to.append(',');
      to.append(reference(plans.get(i), depth));
    }
  }

  // ---- the statement

  private String statement(String text) {
    if (text == null) return null;
    String sql = maskable(text);
    return bounded(literals ? masking.sql(sql) : masking.sqlWithoutLiterals(sql));
  }

  /** The text of the statement: of the command, else of its query; never of a view in it, nor of one that failed. */
  private String sqlText(LogicalPlan root) {
    if (failed) return null;
    LogicalPlan p = root;
    while (p != null && !(p instanceof View)) {
      Object text = unwrap(p.origin().sqlText());
      if (text != null) {
        return statement((String) text);
      }
      if (!(p instanceof Command) && !(p instanceof Project)) return null; // the DataFrame API over some statement
      List below = new ArrayList();
      plans(p.children(), below);
      plans(p.innerChildren(), below);
      p = below.size() == 1 ? (LogicalPlan) below.get(0) : null;
    }
    return null;
  }
}
