package sackafka.launching;

import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicReference;

/** The SparkContexts of this JVM, in the private fields of SparkContext's companion. */
final class Contexts {
  private static final Object[] NOTHING = new Object[0];

  private Contexts() {}

  /** Returns the context whose constructor runs, null without one; it is not registered yet. */
  static Object beingMade() throws Exception {
    Object option = of("contextBeingConstructed");
    return option != null && ((Boolean) called(option, "isDefined")).booleanValue() ? called(option, "get") : null;
  }

  /** Returns the active context; null without one. */
  static Object active() throws Exception {
    return ((AtomicReference) of("activeContext")).get();
  }

  /** Calls a method of Scala's Option by reflection, so that one class file serves Scala 2.12 and 2.13. */
  private static Object called(Object option, String method) throws Exception {
    return option.getClass().getMethod(method, new Class[0]).invoke(option, NOTHING);
  }

  /** Scala prefixes the names of some fields with that of the class. */
  private static Object of(String name) throws Exception {
    Class companion = Class.forName("org.apache.spark.SparkContext$", true, org.apache.spark.SparkConf.class.getClassLoader());
    Field[] fields = companion.getDeclaredFields();
    for (int i = 0; i < fields.length; i++) {
      if (!fields[i].getName().endsWith(name)) continue;
      fields[i].setAccessible(true);
      return fields[i].get(companion.getField("MODULE$").get(null));
    }
    throw new NoSuchFieldException(name);
  }
}
