package sackafka;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.rdd.RDD;

/**
 * Finds the parents of an RDD: its dependencies, if Spark has computed them, else the RDDs in its fields. Computing the
 * dependencies of some RDDs (a union, a shuffle) counts the partitions of others, which lists files.
 */
public class RddParents {
  public static List of(RDD rdd, Specification specification) {
    List parents = new ArrayList();
    if (rdd.isCheckpointed() || field(rdd, "dependencies_", specification) != null) add(rdd.dependencies(), parents);
    else for (Class c = rdd.getClass(); c != RDD.class; c = c.getSuperclass()) fields(rdd, c, parents);
    if (parents.isEmpty() && !rdd.isCheckpointed()) add(field(rdd, "deps", specification), parents);
    return parents;
  }

  private static Object field(RDD rdd, String name, Specification specification) {
    try {
      return specification.step(rdd, "#" + name);
    } catch (Throwable none) {
      return null;
    }
  }

  private static void fields(RDD rdd, Class c, List to) {
    Field[] fields = c.getDeclaredFields();
    for (int i = 0; i < fields.length; i++) {
      if (Modifier.isStatic(fields[i].getModifiers()) || fields[i].getType().isPrimitive()) continue;
      try {
        fields[i].setAccessible(true);
        add(fields[i].get(rdd), to);
      } catch (Exception closed) {
        continue;
      }
    }
  }

  /** Adds what a value is or holds of RDDs, and those that dependencies are on. */
  private static void add(Object o, List to) {
    if (o instanceof RDD) to.add(o);
    else if (o instanceof Dependency) to.add(((Dependency) o).rdd());
    else if (o instanceof scala.collection.Seq || o instanceof Object[]) {
      Iterator it = Containers.elements(o);
      while (it.hasNext()) {
        Object e = it.next();
        if (!(e instanceof RDD) && !(e instanceof Dependency)) return; // partitions, values
        add(e, to);
      }
    }
  }
}
