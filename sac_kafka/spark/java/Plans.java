package sackafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Writes logical plans, each once, what is below and within it before it; its columns as long as the budget lasts. */
public class Plans {
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
  private final Accessors accessors;
  private final Records records;
  private final Expressions expressions;
  private final ColumnNames names;
  private final Scans scans;
  private int left; // of the budget

  /** budget: of expressions and attributes. */
  public Plans(
      Specification specification,
      Accessors accessors,
      Records records,
      Expressions expressions,
      ColumnNames names,
      Scans scans,
      int budget) {
    this.specification = specification;
    this.accessors = accessors;
    this.records = records;
    this.expressions = expressions;
    this.names = names;
    this.scans = scans;
    this.left = budget;
  }

  /** Writes the plan with all that it needs and gives its number. */
  public int plan(LogicalPlan root, int depth) {
    List order = collect(root);
    afford(order, true);
    afford(order, false);
    for (int i = 0; i < order.size(); i++) write((Node) order.get(i), depth);
    return records.numberOf(root).intValue();
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
        if (!records.contains(p) && seen.put(p, Boolean.TRUE) == null) stack.push(node(p));
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
    Containers.plans(p.children(), n.children);
    n.values = new Object[n.shape.accessors.size()];
    for (int i = 0; i < n.values.length; i++) {
      Specification.Accessor a = (Specification.Accessor) n.shape.accessors.get(i);
      n.values[i] = accessors.read(p, a);
      if (isCuttable(a)) n.cost += Containers.isSequence(n.values[i]) ? Containers.size(n.values[i]) : 1;
      else Containers.plans(n.values[i], n.children);
    }
    if (!n.shape.declared && !specification.ownNames.isInput(p.getClass())) hidden(n);
    within(n);
    n.needs.addAll(n.children);
    n.needs.addAll(n.subqueries);
    return n;
  }

  /** Some commands hold their input plans in constructor fields only (Delta MERGE, Hudi MERGE, clones). */
  private void hidden(Node n) {
    try {
      Containers.plans(n.plan.innerChildren(), n.children);
      if (n.children.isEmpty()) {
        scala.collection.Iterator it = ((scala.Product) n.plan).productIterator();
        while (it.hasNext()) Containers.plans(it.next(), n.children);
      }
    } catch (Throwable e) {
      records.note("accessor failed: " + n.plan.getClass().getName() + ".productIterator: " + e.getClass().getName());
    }
  }

  private static boolean isCuttable(Specification.Accessor a) {
    return !a.kind.equals("identity");
  }

  /** Finds the plans of subqueries and what the expressions cost. */
  private void within(Node n) {
    try {
      ArrayDeque stack = new ArrayDeque();
      scala.collection.Iterator it = n.plan.expressions().iterator();
      while (it.hasNext()) stack.push(it.next());
      while (!stack.isEmpty()) {
        Expression e = (Expression) stack.pop();
        n.cost++;
        if (e instanceof PlanExpression) Containers.plans(((PlanExpression) e).plan(), n.subqueries);
        scala.collection.Iterator children = e.children().iterator();
        while (children.hasNext()) stack.push(children.next());
      }
    } catch (Throwable e) {
      records.note("accessor failed: " + n.plan.getClass().getName() + ".expressions: " + e.getClass().getName());
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
        records.note("columns cut");
      }
    }
  }

  private void write(Node n, int depth) {
    StringBuilder r = new StringBuilder(",[");
    references(n.children, r, depth);
    r.append("],[");
    references(n.subqueries, r, depth);
    r.append("],[");
    names.keep(n.plan instanceof Command);
    for (int i = 0; i < n.values.length; i++) {
      Specification.Accessor a = (Specification.Accessor) n.shape.accessors.get(i);
      if (i > 0) r.append(',');
      if (n.cut && isCuttable(a)) r.append("null");
      else expressions.field(n.values[i], a, r, depth);
    }
    names.keep(false);
    r.append(n.cut ? "],1" : "]");
    int number = records.classNumber(n.shape);
    String kind = n.plan instanceof Command ? "[\"w\"," : "[\"p\",";
    if (n.children.isEmpty()) scans.leaf(n.plan);
    records.add(n.plan, new StringBuilder(kind).append(number).append(r).append(']'));
  }

  private void references(List plans, StringBuilder to, int depth) {
    for (int i = 0; i < plans.size(); i++) {
      if (i > 0) to.append(',');
      Integer known = records.numberOf(plans.get(i));
      to.append(known != null ? known.intValue() : plan((LogicalPlan) plans.get(i), depth));
    }
  }
}
