package sackafka.linking;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;

/**
 * Checks that precompiled classes fit the classes of this driver: each method and field of Spark, Scala or Kafka that they use must
 * exist with exactly the signature that they were compiled for. The JVM itself would find out only when the call is made.
 */
public final class Linkage {
  private final ClassLoader loader = Linkage.class.getClassLoader();

  /** Returns the first member that does not exist, null if all do; the archive lists those of each package. */
  public String missing(String forPackage) throws IOException {
    String name = "links/" + forPackage + ".txt";
    try (InputStream list = loader.getResourceAsStream(name)) {
      if (list == null) return name;
      BufferedReader reader = new BufferedReader(new InputStreamReader(list, StandardCharsets.UTF_8));
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!exists(line.split(" "))) return line;
      }
    }
    return null;
  }

  /** Looks up `class OWNER`, `field OWNER NAME TYPE` or `method OWNER NAME DESCRIPTOR` as the JVM resolves it. */
  private boolean exists(String[] link) {
    try {
      Class<?> owner = Class.forName(link[1], false, loader);
      if (link[0].equals("method")) find(owner, link[2], MethodType.fromMethodDescriptorString(link[3], loader));
      if (link[0].equals("field")) owner.getField(link[2]);
      return true;
    } catch (IllegalAccessException e) {
      return true; // it exists: a static method, or a protected one of a superclass
    } catch (ReflectiveOperationException | LinkageError | TypeNotPresentException e) {
      return false;
    }
  }

  private static void find(Class<?> owner, String name, MethodType type) throws ReflectiveOperationException {
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    if (name.equals("<init>")) lookup.findConstructor(owner, type);
    else lookup.findVirtual(owner, name, type);
  }
}
