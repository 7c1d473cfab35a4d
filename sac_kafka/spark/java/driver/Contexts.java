package sackafka.driver;

import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicReference;

/** The SparkContexts of this JVM, in the private fields of SparkContext's companion. */
final class Contexts {
  private Contexts() {}

  /** Returns the context whose constructor runs; it is not registered yet. */
  static Object beingMade() throws Exception {
    Object option = of("contextBeingConstructed");
    // By reflection, so that one class file serves Scala 2.12 and 2.13.
    boolean isDefined = option != null && (Boolean) option.getClass().getMethod("isDefined").invoke(option);
    return isDefined ? option.getClass().getMethod("get").invoke(option) : null;
  }

  /** Returns the active context; null without one. */
  static Object active() throws Exception {
    return ((AtomicReference<?>) of("activeContext")).get();
  }

  /** Scala prefixes the names of some fields with that of the class. */
  private static Object of(String name) throws Exception {
    Class<?> companion = Class.forName("org.apache.spark.SparkContext$", true, org.apache.spark.SparkConf.class.getClassLoader());
    for (Field field : companion.getDeclaredFields()) {
      if (!field.getName().endsWith(name)) continue;
      field.setAccessible(true);
      return field.get(companion.getField("MODULE$").get(null));
    }
    throw new NoSuchFieldException(name);
  }
}
