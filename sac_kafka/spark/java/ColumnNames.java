package sackafka;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.unsafe.types.UTF8String;

/** The names of columns as they travel: those that Spark made of an expression without its literals. */
public class ColumnNames {
  private final Map generated = new HashMap(); // name of a column that quotes literals -> the name without them
  private boolean named = false;

  /** While true attributes keep their names: those of a command are columns of what it writes. */
  public void keep(boolean asTheyAre) {
    named = asTheyAre;
  }

  public String of(Attribute a) {
    String generic = named ? null : (String) generated.get(a.name());
    return generic == null ? a.name() : generic;
  }

  /** The value of a field of an alias, which may be its name. */
  public Object ofAlias(Object field) {
    Object generic = field instanceof String ? generated.get(field) : null;
    return generic == null ? field : generic;
  }

  /** A column without an alias is named by its expression: concat(x, SECRET). Its literals are removed here. */
  public void withoutLiterals(Alias alias) {
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
}
