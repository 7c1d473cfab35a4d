package sackafka;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** A name of OpenLineage's for a dataset (its DatasetIdentifier, of whatever package), and the tables that it is known as. */
public class OwnName {
  private static final Class[] NOTHING = new Class[0];
  private static final int MAX_TABLES = 10;

  private final String namespace;
  private final String name;
  private final List tables = new ArrayList(); // of OwnName

  private OwnName(String namespace, String name) {
    this.namespace = namespace;
    this.name = name;
  }

  public String namespace() {
    return namespace;
  }

  public String name() {
    return name;
  }

  public List tables() {
    return tables;
  }

  /** What an identifier says; null for one that says nothing. */
  public static OwnName of(Object identifier) throws Throwable {
    OwnName own = bare(identifier);
    if (own == null) return null;
    Object links = get(identifier, "getSymlinks");
    for (int i = 0; links instanceof List && i < Math.min(((List) links).size(), MAX_TABLES); i++) {
      Object link = ((List) links).get(i);
      OwnName table = bare(link);
      if (table != null && "TABLE".equals(String.valueOf(get(link, "getType")))) own.tables.add(table);
    }
    return own;
  }

  private static OwnName bare(Object identifier) throws Throwable {
    if (identifier == null) return null;
    Object namespace = get(identifier, "getNamespace");
    Object name = get(identifier, "getName");
    return namespace instanceof String && name instanceof String ? new OwnName((String) namespace, (String) name) : null;
  }

  /** The value of a getter; throws NoSuchMethodException if it does not exist. */
  public static Object get(Object o, String getter) throws Throwable {
    Method m = o.getClass().getMethod(getter, NOTHING);
    return OwnNames.invoke(m, o, new Object[0]);
  }
}
