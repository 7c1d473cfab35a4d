package sackafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Options and sequences, Scala's and Java's alike, and the plans in them. */
public class Containers {
  /** What an option holds, null for none; anything else is itself. */
  public static Object unwrap(Object o) {
    if (o instanceof scala.Option) return ((scala.Option) o).isEmpty() ? null : ((scala.Option) o).get();
    return o;
  }

  public static boolean isSequence(Object o) {
    return o instanceof scala.collection.Iterable || o instanceof Collection || o instanceof Object[];
  }

  public static int size(Object o) {
    if (o instanceof Object[]) return ((Object[]) o).length;
    return o instanceof Collection ? ((Collection) o).size() : ((scala.collection.Iterable) o).size();
  }

  public static Iterator elements(Object o) {
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

  /** Adds the plans that a value is or holds, each once. */
  public static void plans(Object wrapped, List to) {
    Object o = unwrap(wrapped);
    if (o instanceof LogicalPlan) {
      for (int i = 0; i < to.size(); i++) if (to.get(i) == o) return; // equals would compare whole plans
      to.add(o);
    } else if (o instanceof scala.collection.Seq || o instanceof List) {
      Iterator it = elements(o);
      while (it.hasNext()) {
        Object e = unwrap(it.next());
        if (e instanceof LogicalPlan) plans(e, to);
      }
    }
  }

  /** Of a list the plans, or all else. */
  public static List only(List of, boolean plans) {
    List found = new ArrayList();
    for (int i = 0; i < of.size(); i++) if (of.get(i) instanceof LogicalPlan == plans) found.add(of.get(i));
    return found;
  }

  /** The columns of the only plan that a command has, as a child or in a field; null where it is not the only one. */
  public static Object written(LogicalPlan command) {
    List below = new ArrayList();
    plans(command.children(), below);
    plans(command.innerChildren(), below);
    if (below.isEmpty() && command instanceof scala.Product) {
      scala.collection.Iterator it = ((scala.Product) command).productIterator();
      while (it.hasNext()) plans(it.next(), below);
    }
    return below.size() == 1 ? ((LogicalPlan) below.get(0)).output() : null;
  }
}
