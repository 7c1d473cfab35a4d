package sackafka;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * Plans of statements that were given what the driver's Python had read, each with its own text. A DataFrame that is made of
 * such a statement's contains that same plan object, so that no other plan is mistaken for it. Keeps none of them alive.
 */
public class StatementPlans {
  private static final int MOST = 64;
  private final ArrayDeque kept = new ArrayDeque(); // pairs of a plan, weakly referenced, and its text; the oldest first

  public synchronized void add(Object plan, String text) {
    if (kept.size() == MOST) kept.removeFirst();
    kept.addLast(new Object[] {new WeakReference(plan), text});
  }

  /** The texts of the plans that are still alive, by the plans. */
  public synchronized Map alive() {
    Map found = new IdentityHashMap();
    for (Iterator each = kept.iterator(); each.hasNext(); ) {
      Object[] pair = (Object[]) each.next();
      Object plan = ((WeakReference) pair[0]).get();
      if (plan == null) each.remove();
      else found.put(plan, pair[1]);
    }
    return found;
  }
}
