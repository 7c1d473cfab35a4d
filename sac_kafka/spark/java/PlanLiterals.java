package sackafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.QueryPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.BinaryType;

/** The literals of a DataFrame's plan as text, for the driver's own Python, which has read values that may be among them. */
public class PlanLiterals {
  private static final int MAX_NODES = 5_000;
  private static final int MAX_LITERALS = 500;
  private static final int MAX_CHARS = 200;

  /**
   * Returns at most 500 distinct literals, joined by the character 0, from the first 5,000 nodes of a plan. A timestamp appears
   * twice: as text in the session's time zone, and as microseconds since 1970 after the character 1. Adds the texts of known
   * plans (StatementPlans) within the plan.
   */
  public static String of(Object plan, Map known) {
    List found = new ArrayList();
    ArrayDeque stack = new ArrayDeque();
    stack.push(plan);
    for (int nodes = 0; !stack.isEmpty() && nodes < MAX_NODES && found.size() < MAX_LITERALS; nodes++) {
      TreeNode node = (TreeNode) stack.pop();
      if (node instanceof Literal) add((Literal) node, found);
      if (known.containsKey(node)) found.add(known.get(node));
      push(node.children(), stack);
      if (node instanceof QueryPlan) push(((QueryPlan) node).expressions(), stack);
      if (node instanceof org.apache.spark.sql.catalyst.expressions.PlanExpression)
        stack.push(((org.apache.spark.sql.catalyst.expressions.PlanExpression) node).plan());
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < found.size(); i++) text.append(i == 0 ? "" : "\u0000").append(found.get(i));
    return text.toString();
  }

  private static void add(Literal literal, List to) {
    if (literal.value() == null || literal.dataType() instanceof BinaryType) return;
    String text = literal.toString();
    if (literal.dataType() instanceof org.apache.spark.sql.types.TimestampType) to.add("\u0001" + literal.value());
    if (text.length() <= MAX_CHARS && text.indexOf(0) < 0 && !to.contains(text)) to.add(text);
  }

  private static void push(Object all, ArrayDeque stack) {
    scala.collection.Iterator it = ((scala.collection.Iterable) all).iterator();
    while (it.hasNext()) stack.push(it.next());
  }
}
