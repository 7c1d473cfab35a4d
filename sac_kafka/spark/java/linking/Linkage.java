package sackafka.linking;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks that precompiled classes fit the classes of this driver: each method and field of Spark, Scala or Kafka that they use must
 * exist with exactly the signature that they were compiled for. The JVM itself would find out only when the call is made.
 *
 * <p>A class that has, with all its supertypes, the checksums of those that ours were compiled for is not even loaded.
 */
public final class Linkage {
  private final ClassLoader loader = Linkage.class.getClassLoader();
  private final Map<String, String[]> known = new HashMap<>(); // classes that have not changed

  /** Returns the first member that does not exist, null if all do; the archive lists those of each package. */
  public String missing(String forPackage) throws IOException {
    String name = "links/" + forPackage + ".txt";
    List<String[]> links = new ArrayList<>();
    try (InputStream list = loader.getResourceAsStream(name)) {
      if (list == null) return name;
      BufferedReader reader = new BufferedReader(new InputStreamReader(list, StandardCharsets.US_ASCII));
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        String[] link = line.split(" ");
        links.add(link);
        if (link[0].equals("class") && Long.parseLong(link[2], 16) == checksum(link[1])) known.put(link[1], link);
      }
    }
    for (String[] link : links) {
      if (isKnown(link[1]) || exists(link)) continue;
      return link[0].equals("class") ? "class " + link[1] : String.join(" ", link);
    }
    return null;
  }

  /** The CRC-32 of a class file as its jar has it; -1 without one. */
  private long checksum(String name) throws IOException {
    URL file = loader.getResource(name.replace('.', '/') + ".class");
    URLConnection connection = file == null ? null : file.openConnection();
    return connection instanceof JarURLConnection ? ((JarURLConnection) connection).getJarEntry().getCrc() : -1L;
  }

  private boolean isKnown(String name) {
    String[] link = known.get(name);
    if (link == null) return false;
    for (int i = 3; i < link.length; i++) if (!known.containsKey(link[i])) return false;
    return true;
  }

  /** Looks up `class OWNER CHECKSUM SUPERTYPES`, `field OWNER NAME TYPE` or `method OWNER NAME DESCRIPTOR` as the JVM resolves it. */
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
