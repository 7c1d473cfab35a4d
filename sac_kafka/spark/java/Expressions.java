package sackafka;

import java.util.ArrayDeque;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** Writes expressions, each once, its operands before it. */
public class Expressions {
  private final Specification specification;
  private final Accessors accessors;
  private final Records records;
  private final Values values;
  private final ColumnNames names;
  private final Constants constants;

  public Expressions(
      Specification specification, Accessors accessors, Records records, Values values, ColumnNames names, Constants constants) {
    this.specification = specification;
    this.accessors = accessors;
    this.records = records;
    this.values = values;
    this.names = names;
    this.constants = constants;
  }

  /** Writes the expression with all below it and gives its number. */
  public int expression(Expression root, int depth) {
    ArrayDeque stack = new ArrayDeque();
    stack.push(root);
    while (!stack.isEmpty()) {
      Expression e = (Expression) stack.peek();
      if (records.contains(e)) {
        stack.pop();
        continue;
      }
      constants.hideSecrets(e);
      boolean ready = true;
      scala.collection.Iterator children = e.children().iterator();
      while (children.hasNext()) {
        Object child = children.next();
        if (!(child instanceof AttributeReference) && !records.contains(child)) {
          ready = false;
          stack.push(child);
        }
      }
      if (!ready) continue;
      stack.pop();
      write(e, depth);
    }
    return records.numberOf(root).intValue();
  }

  private void write(Expression e, int depth) {
    if (e instanceof Alias) names.withoutLiterals((Alias) e);
    Specification.Shape shape = specification.shape(e.getClass());
    StringBuilder r = new StringBuilder(",[");
    scala.collection.Iterator children = e.children().iterator();
    for (int n = 0; children.hasNext(); n++) {
      if (n > 0) r.append(',');
      r.append(operand((Expression) children.next(), depth));
    }
    r.append(']');
    r.append(",[");
    int end = r.length(); // trailing nulls are not written
    for (int i = 0; i < shape.accessors.size(); i++) {
      Specification.Accessor a = (Specification.Accessor) shape.accessors.get(i);
      if (i > 0) r.append(',');
      Object v = accessors.read(e, a);
      field(e instanceof Alias ? names.ofAlias(v) : v, a, r, depth);
      if (v != null) end = r.length();
    }
    r.setLength(end);
    r.append(']');
    int number = records.classNumber(shape);
    records.add(e, new StringBuilder("[\"e\",").append(number).append(r).append(']'));
  }

  /** A reference to an expression, which is written now if it is not yet; to an attribute by its exprId. */
  private long operand(Expression e, int depth) {
    if (e instanceof AttributeReference) return -((AttributeReference) e).exprId().id() - 1;
    Integer known = records.numberOf(e);
    return known != null ? known.intValue() : expression(e, depth);
  }

  /** The value of a field; expressions by reference, also in sequences of sequences. */
  public void field(Object v, Specification.Accessor a, StringBuilder to, int depth) {
    if (!a.kind.equals("expressions")) values.value(v, a, to, depth + 1);
    else if (v instanceof Expression) to.append(operand((Expression) v, depth));
    else if (v != null && Containers.isSequence(v)) {
      to.append('[');
      Iterator it = Containers.elements(v);
      for (int n = 0; it.hasNext(); n++) {
        if (n > 0) to.append(',');
        field(it.next(), a, to, depth);
      }
      to.append(']');
    } else values.value(v, a, to, depth + 1);
  }
}
