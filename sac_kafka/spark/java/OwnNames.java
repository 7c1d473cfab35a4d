package sackafka;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;

/**
 * What connectors call what they read and write, where they implement OpenLineage's extension interfaces (LineageRelation,
 * LineageRelationProvider, InputLineageNode, OutputLineageNode). Connectors relocate these: known by their simple names.
 */
public class OwnNames {
  private static final Object NONE = new Object();
  private static final int MAX_DATASETS = 100;

  private final Map methods = new ConcurrentHashMap(); // Class -> Map of interface -> Method or NONE

  /** The name of a V1 relation; null where it says none. */
  public OwnName ofRelation(Object relation, String event) throws Throwable {
    Method m = method(relation.getClass(), "LineageRelation", "getLineageDatasetIdentifier", 2);
    return m == null ? null : OwnName.of(invoke(m, relation, new Object[] {event, openLineage(m)}));
  }

  /** The name of what a provider saves to, by its options; null where it says none. */
  public OwnName ofProvider(SaveIntoDataSourceCommand command, QueryExecution qe, String event) throws Throwable {
    Object provider = command.dataSource();
    Method m = method(provider.getClass(), "LineageRelationProvider", "getLineageDatasetIdentifier", 4);
    if (m == null) return null;
    Object context = qe == null ? null : ((Object) qe.sparkSession().sqlContext());
    Object options = command.options();
    if (m.getParameterTypes()[3] == Map.class) options = map(options);
    return OwnName.of(invoke(m, provider, new Object[] {event, openLineage(m), fitting(m, 2, context), fitting(m, 3, options)}));
  }

  public boolean isInput(Class c) {
    return method(c, "InputLineageNode", "getInputs", 2) != null;
  }

  public boolean isOutput(Class c) {
    return method(c, "OutputLineageNode", "getOutputs", 2) != null;
  }

  /** What a node reads: an OwnName, or a LogicalPlan that says it in its place, for each. */
  public List inputs(LogicalPlan node, String event) throws Throwable {
    return datasets(node, event, method(node.getClass(), "InputLineageNode", "getInputs", 2));
  }

  /** What a node writes, as its inputs. */
  public List outputs(LogicalPlan node, String event) throws Throwable {
    return datasets(node, event, method(node.getClass(), "OutputLineageNode", "getOutputs", 2));
  }

  private List datasets(LogicalPlan node, String event, Method m) throws Throwable {
    List found = new ArrayList();
    if (m == null) return found;
    Object datasets = invoke(m, node, new Object[] {event, openLineage(m)});
    if (!(datasets instanceof Iterable)) return found;
    Iterator it = ((Iterable) datasets).iterator();
    while (it.hasNext() && found.size() < MAX_DATASETS) {
      Object each = it.next();
      Object name = each == null ? null : nameOf(each);
      if (name != null) found.add(name);
    }
    return found;
  }

  /** Of a dataset with an identifier its name, of one with a delegate the plan. */
  private static Object nameOf(Object dataset) throws Throwable {
    try {
      return OwnName.of(OwnName.get(dataset, "getDatasetIdentifier"));
    } catch (NoSuchMethodException delegates) {
      Object node = OwnName.get(dataset, "getNode");
      return node instanceof LogicalPlan ? node : null;
    }
  }

  /** The method of an interface of this simple name, in whatever package; null where the class does not implement it. */
  private Method method(Class c, String simpleName, String name, int parameters) {
    Map known = (Map) methods.get(c);
    if (known == null) {
      known = new ConcurrentHashMap();
      methods.put(c, known);
    }
    Object m = known.get(simpleName);
    if (m == null) {
      m = find(c, simpleName, name, parameters);
      if (m == null) m = NONE;
      known.put(simpleName, m);
    }
    return m == NONE ? null : (Method) m;
  }

  private static Method find(Class c, String simpleName, String name, int parameters) {
    for (Class k = c; k != null; k = k.getSuperclass()) {
      Class[] interfaces = k.getInterfaces();
      for (int i = 0; i < interfaces.length; i++) {
        Class face = interfaces[i];
        Method[] own = face.getName().endsWith("." + simpleName) ? face.getMethods() : new Method[0];
        for (int n = 0; n < own.length; n++) {
          Class[] types = own[n].getParameterTypes();
          if (own[n].getName().equals(name) && types.length == parameters && types[0] == String.class) return own[n];
        }
        Method above = find(face, simpleName, name, parameters);
        if (above != null) return above;
      }
    }
    return null;
  }

  /** The builder of OpenLineage's models, of the connector's own package; null where it is made otherwise. */
  private static Object openLineage(Method m) {
    Class type = m.getParameterTypes()[1];
    if (!type.getName().endsWith(".OpenLineage")) return null;
    try {
      Constructor made = type.getConstructor(new Class[] {java.net.URI.class});
      return made.newInstance(new Object[] {java.net.URI.create("https://github.com/OpenLineage/OpenLineage")});
    } catch (Throwable none) { // most connectors do not look at it
      return null;
    }
  }

  private static Object fitting(Method m, int position, Object value) {
    return m.getParameterTypes()[position].isInstance(value) ? value : null;
  }

  private static Map map(Object options) {
    Map copy = new HashMap();
    Iterator it = Containers.elements(options);
    while (it.hasNext()) {
      scala.Tuple2 entry = (scala.Tuple2) it.next();
      copy.put(entry._1(), entry._2());
    }
    return copy;
  }

  /** Calls a public method, also of a class that is not public, and throws what it throws. */
  static Object invoke(Method m, Object o, Object[] arguments) throws Throwable {
    try {
      return open(m).invoke(o, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static Method open(Method m) {
    try {
      m.setAccessible(true);
    } catch (RuntimeException closed) {
      return m;
    }
    return m;
  }
}
