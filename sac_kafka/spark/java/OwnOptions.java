package sackafka;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What an object of a connector holds of options, whatever the connector: the entries of the maps among its fields, then its
 * fields that are texts, by their names, then the same of the connector's own objects in its fields. Fields are only looked
 * at: no code of the connector runs, so nothing connects. Which keys travel is the specification's affair.
 */
class OwnOptions {
  private static final int MAX_ENTRIES = 1000;
  private static final int MAX_FIELDS = 200;
  private static final String[] FOREIGN = {
    "java.", "javax.", "scala.", "sun.", "jdk.", "com.sun.", "org.apache.spark.", "org.apache.hadoop.", "org.slf4j.", "org.apache.logging."
  };
  private static final Map FIELDS = new ConcurrentHashMap(); // Class -> List of Field

  static Map of(Object o) {
    Map found = new HashMap();
    collect(o, found, true);
    return found;
  }

  private static void collect(Object o, Map to, boolean goesDeeper) {
    List texts = new ArrayList();
    List objects = new ArrayList();
    List fields = fields(o.getClass());
    for (int i = 0; i < fields.size(); i++) {
      Field f = (Field) fields.get(i);
      Object v;
      try {
        v = Containers.unwrap(f.get(o));
      } catch (Exception e) {
        continue;
      }
      if (v == null) continue;
      if (v instanceof String) texts.add(new Object[] {name(f), v});
      else if (isMap(v)) entries(v, to);
      else if (goesDeeper && isOwn(v.getClass(), o.getClass())) objects.add(v);
    }
    for (int i = 0; i < texts.size(); i++) put(((Object[]) texts.get(i))[0], ((Object[]) texts.get(i))[1], to);
    for (int i = 0; i < objects.size(); i++) collect(objects.get(i), to, false);
  }

  private static void entries(Object map, Map to) {
    try {
      Iterator it = map instanceof Map ? ((Map) map).entrySet().iterator() : Containers.elements(map);
      for (int n = 0; it.hasNext() && n < MAX_ENTRIES; n++) {
        Object e = it.next();
        if (e instanceof Map.Entry) put(((Map.Entry) e).getKey(), ((Map.Entry) e).getValue(), to);
        else put(((scala.Tuple2) e)._1(), ((scala.Tuple2) e)._2(), to);
      }
    } catch (RuntimeException changing) {
      return; // a map that another thread changes: what was found by then
    }
  }

  /** The first that is found of a name counts. */
  private static void put(Object key, Object wrapped, Map to) {
    Object value = Containers.unwrap(wrapped);
    if (!(key instanceof String) || !(value instanceof String)) return;
    String name = ((String) key).toLowerCase(Locale.ROOT);
    if (!to.containsKey(name)) to.put(name, value);
  }

  /** Maps that hold what they show; others may make it, or fetch it, when they are looked into. */
  private static boolean isMap(Object v) {
    if (!(v instanceof Map) && !(v instanceof scala.collection.Map)) return false;
    String name = v.getClass().getName();
    return name.startsWith("java.util.") || name.startsWith("scala.collection.immutable.") || name.startsWith("scala.collection.mutable.")
        || name.startsWith("scala.collection.convert.")
        || name.startsWith("org.apache.spark.sql.") || name.indexOf(".collect.") >= 0 && name.indexOf("ImmutableMap") >= 0;
  }

  /** Whether a class is of the same connector: no library's, and below the same two levels of packages. */
  private static boolean isOwn(Class c, Class of) {
    for (int i = 0; i < FOREIGN.length; i++) if (c.getName().startsWith(FOREIGN[i])) return false;
    return !c.isArray() && !c.isEnum() && twoLevels(c.getName()).equals(twoLevels(of.getName()));
  }

  private static String twoLevels(String name) {
    int end = name.indexOf('.', name.indexOf('.') + 1);
    return end < 0 ? name : name.substring(0, end);
  }

  /** The name of a field without what Scala puts before that of a private one. */
  private static String name(Field f) {
    return f.getName().substring(f.getName().lastIndexOf('$') + 1);
  }

  private static List fields(Class c) {
    List found = (List) FIELDS.get(c);
    if (found != null) return found;
    found = new ArrayList();
    for (Class k = c; k != null && k != Object.class; k = k.getSuperclass()) {
      try {
        Field[] own = k.getDeclaredFields();
        for (int i = 0; i < own.length && found.size() < MAX_FIELDS; i++) {
          if (Modifier.isStatic(own[i].getModifiers()) || own[i].getType().isPrimitive()) continue;
          try {
            own[i].setAccessible(true);
            found.add(own[i]);
          } catch (RuntimeException closed) {
            continue;
          }
        }
      } catch (LinkageError e) {
        continue; // a field of a missing class
      }
    }
    FIELDS.put(c, found);
    return found;
  }
}
