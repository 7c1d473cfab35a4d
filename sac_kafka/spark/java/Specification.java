package sackafka;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.InflaterInputStream;

/**
 * Which events are wanted and which accessors of which classes travel: derived from the dataclasses of sac_kafka.plan,
 * one line an entry (event, class, field, format), tab between the parts.
 */
public class Specification {
  /** A field: its name, its accessors (alternatives, each a path of method names), and what of a map may travel. */
  public static class Accessor {
    public String name;
    public List paths = new ArrayList(); // of String[]
    /** identity (always travels), expressions or attributes (cut when the budget of an event is used up). */
    public String kind;
    public String[] keys; // of a map: the only ones that travel
    public boolean watched = true; // false for steps of the listener's own, whose time is known
  }

  /** What travels of the instances of one class. */
  public static class Shape {
    public String name;
    public boolean declared;
    public List accessors; // of Accessor
  }

  /** An argument of a function that is a format: of how many arguments (0: any), whether a mark only, or only how it ends. */
  public static class Format {
    public int position;
    public int arity;
    public boolean mark;
    public String ending; // "" where it is whole
  }

  private static final Object NONE = new Object();
  private static final List NOTHING = new ArrayList();
  /** For an undeclared plan: enough to pass its children through and to see which columns it creates. */
  private static final List ANY_PLAN =
      Arrays.asList(new Object[] {accessor("expressions", "expressions", "expressions"), accessor("output", "output", "attributes")});

  /** Of an expression that is not declared: its name in SQL. */
  private static final List ANY_EXPRESSION =
      Arrays.asList(new Object[] {accessor("name", "prettyName", "identity"), accessor("formats", "@formats", "identity")});

  public final OwnNames ownNames = new OwnNames();
  private final Set events = new HashSet();
  private String unread; // the text without the events, null once it is read
  private final Map formats = new HashMap(); // function -> List of Format
  private final Map classes = new HashMap(); // name -> List of Accessor
  private final Map shapes = new ConcurrentHashMap(); // Class -> Shape
  private final Map wanted = new ConcurrentHashMap(); // Class -> Boolean
  private final Map members = new ConcurrentHashMap(); // Class -> Map of step -> Method, Field or NONE

  /** Reads the events, which come first; the rest is read with the first one, since a driver may have none. */
  public Specification(byte[] zipped) throws IOException {
    InputStream in = new InflaterInputStream(new ByteArrayInputStream(zipped));
    ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 17);
    byte[] read = new byte[1 << 17];
    for (int n = in.read(read); n >= 0; n = in.read(read)) out.write(read, 0, n);
    String text = out.toString("UTF-8");
    int at = 0;
    while (text.startsWith("event\t", at)) {
      int end = text.indexOf('\n', at);
      events.add(text.substring(at + 6, end));
      at = end + 1;
    }
    unread = text.substring(at);
  }

  private void read() {
    synchronized (this) {
      if (unread == null) return;
      read(unread.split("\n"));
      unread = null;
    }
  }

  private void read(String[] lines) {
    List fields = null;
    for (int i = 0; i < lines.length; i++) {
      String[] part = lines[i].split("\t", -1);
      if (part[0].equals("class")) {
        fields = new ArrayList();
        classes.put(part[1], fields);
      } else if (part[0].equals("field")) {
        Accessor a = new Accessor();
        a.name = part[1];
        String[] alternatives = part[2].split("\\|");
        for (int k = 0; k < alternatives.length; k++) a.paths.add(alternatives[k].split("\\."));
        a.kind = part[3];
        a.watched = part[2].indexOf('@') < 0;
        a.keys = part[4].length() == 0 ? null : part[4].split(",");
        fields.add(a);
      } else if (part[0].equals("format")) {
        Format f = new Format();
        f.position = Integer.parseInt(part[2]);
        f.arity = Integer.parseInt(part[3]);
        f.mark = part[4].length() > 0;
        f.ending = part[5];
        if (!formats.containsKey(part[1])) formats.put(part[1], new ArrayList());
        ((List) formats.get(part[1])).add(f);
      } else if (lines[i].length() > 0) {
        throw new IllegalArgumentException("specification line " + (i + 1) + ": " + part[0]);
      }
    }
  }

  private static Accessor accessor(String name, String step, String kind) {
    Accessor a = new Accessor();
    a.name = name;
    a.paths.add(new String[] {step});
    a.kind = kind;
    a.watched = step.charAt(0) != '@';
    return a;
  }

  /** What every object of a class that is not declared is read by. */
  private List undeclared(Class c) {
    if (org.apache.spark.sql.catalyst.plans.logical.LogicalPlan.class.isAssignableFrom(c)) return plan(c);
    return org.apache.spark.sql.catalyst.expressions.Expression.class.isAssignableFrom(c) ? ANY_EXPRESSION : NOTHING;
  }

  private List plan(Class c) {
    if (!ownNames.isInput(c) && !ownNames.isOutput(c)) return ANY_PLAN;
    List all = new ArrayList(ANY_PLAN);
    all.add(accessor("inputs", "@inputs", "identity"));
    all.add(accessor("delegates", "@delegates", "identity")); // among its children from then on
    all.add(accessor("outputs", "@outputs", "identity"));
    all.add(accessor("written", "@written", "attributes"));
    return all;
  }

  /** The arguments of a function that are formats; null where it has none. */
  public List formats(String function) {
    read();
    return (List) formats.get(function);
  }

  /** True for events of a wanted class, of its subclasses and of what implements it. */
  public boolean wants(Class c) {
    Boolean known = (Boolean) wanted.get(c);
    if (known == null) {
      known = Boolean.valueOf(find(c, events) != null);
      wanted.put(c, known);
    }
    return known.booleanValue();
  }

  /** The shape of the nearest declared class or interface; of an undeclared class its own name and few accessors. */
  public Shape shape(Class c) {
    Shape s = (Shape) shapes.get(c);
    if (s == null) {
      read();
      s = new Shape();
      String found = find(c, classes.keySet());
      s.declared = found != null;
      s.name = s.declared ? found : c.getName();
      s.accessors = s.declared ? (List) classes.get(found) : undeclared(c);
      shapes.put(c, s);
    }
    return s;
  }

  private static String find(Class c, Set names) {
    for (Class k = c; k != null; k = k.getSuperclass()) {
      if (names.contains(k.getName())) return k.getName();
      Class[] interfaces = k.getInterfaces();
      for (int i = 0; i < interfaces.length; i++) {
        String found = find(interfaces[i], names);
        if (found != null) return found;
      }
    }
    return null;
  }

  /** The value of a step, a method or (with #) a field of the object; throws NoSuchMethodException if it does not exist. */
  public Object step(Object o, String step) throws Throwable {
    Object member = member(o.getClass(), step);
    if (member == NONE) throw new NoSuchMethodException(step);
    try {
      return member instanceof Method ? ((Method) member).invoke(o, new Object[0]) : ((Field) member).get(o);
    } catch (java.lang.reflect.InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Object member(Class c, String step) {
    Map known = (Map) members.get(c);
    if (known == null) {
      known = new ConcurrentHashMap();
      members.put(c, known);
    }
    Object m = known.get(step);
    if (m == null) {
      m = step.startsWith("#") ? field(c, step.substring(1)) : method(c, step);
      known.put(step, m);
    }
    return m;
  }

  private static Object method(Class c, String name) {
    try {
      Method m = c.getMethod(name, new Class[0]);
      try {
        m.setAccessible(true); // a public method of a class that is not public
      } catch (RuntimeException closed) {
        return m;
      }
      return m;
    } catch (NoSuchMethodException e) {
      return NONE;
    }
  }

  private static Object field(Class c, String name) {
    for (Class k = c; k != null; k = k.getSuperclass()) {
      try {
        Field f = k.getDeclaredField(name);
        f.setAccessible(true);
        return f;
      } catch (NoSuchFieldException e) {
        continue;
      } catch (RuntimeException closed) {
        return NONE;
      }
    }
    return NONE;
  }
}
