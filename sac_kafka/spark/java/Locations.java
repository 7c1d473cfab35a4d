package sackafka;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;

/** Where the directories of commands are: statements may leave scheme and parents to the session, relations do not. */
public class Locations {
  private static final java.net.URI LOCAL = java.net.URI.create("file:///");

  /** The path of a command that has a storage, a path or an option path, or makes a table whose name is one; null where it has none. */
  public static String of(Object command, Specification specification, QueryExecution qe) throws Throwable {
    Object path = path(command, specification);
    return path == null ? null : qualified(new Path(path.toString()), isLocal(command, specification), qe).toString();
  }

  private static Object path(Object command, Specification specification) throws Throwable {
    Object storage = optional(command, "storage", specification);
    if (storage instanceof CatalogStorageFormat) {
      Object uri = Containers.unwrap(((CatalogStorageFormat) storage).locationUri());
      return uri == null ? null : new Path((java.net.URI) uri);
    }
    Object name = optional(command, "name", specification);
    if (name instanceof ResolvedIdentifier) { // of CREATE TABLE … AS SELECT: some catalogs read paths as names
      String last = ((ResolvedIdentifier) name).identifier().name();
      return last.indexOf('/') < 0 ? null : last;
    }
    Object options = optional(command, "options", specification);
    if (options == null) options = optional(command, "writeOptions", specification); // of a micro-batch
    if (options != null) return Steps.option(options, "path");
    Object path = optional(command, "path", specification);
    if (path == null) path = optional(command, "targetPath", specification); // of CLONE
    return path == null ? optional(command, "location", specification) : path; // of the relation of XML files
  }

  private static boolean isLocal(Object command, Specification specification) throws Throwable {
    return Boolean.TRUE.equals(optional(command, "isLocal", specification));
  }

  private static Object optional(Object o, String method, Specification specification) throws Throwable {
    try {
      return Containers.unwrap(specification.step(o, method));
    } catch (NoSuchMethodException none) {
      return null;
    }
  }

  /** The root paths of files, also of a file index that keeps them as a user wrote them (Hudi's). */
  public static Object roots(HadoopFsRelation files, QueryExecution qe) {
    scala.collection.Seq paths = files.location().rootPaths();
    if (qe == null || paths.isEmpty() || ((Path) paths.head()).toUri().getScheme() != null) return paths;
    java.util.List roots = new java.util.ArrayList();
    java.util.Iterator it = Containers.elements(paths);
    while (it.hasNext()) roots.add(qualified((Path) it.next(), false, qe));
    return roots;
  }

  /** The directory that a model is saved to or loaded from; an invalid path is returned unchanged. */
  public static String ofModel(String path, SparkContext context) {
    try {
      return qualified(new Path(path), context.hadoopConfiguration()).toString();
    } catch (RuntimeException none) {
      return path;
    }
  }

  /** The same for the context that runs; models are saved and loaded by sessions. */
  public static String ofModel(String path) {
    if (SparkSession.getDefaultSession().isEmpty()) return path;
    return ofModel(path, ((SparkSession) SparkSession.getDefaultSession().get()).sparkContext());
  }

  /** The absolute path if the name of a table in a connector or catalog is a path, else null. */
  public static String ofName(String name) {
    return name.indexOf('/') < 0 ? null : ofModel(name);
  }

  static Path qualified(Path path, boolean isLocal, QueryExecution qe) {
    Configuration conf = qe.sparkSession().sparkContext().hadoopConfiguration();
    return qualified(path, isLocal ? LOCAL : FileSystem.getDefaultUri(conf));
  }

  /** The whole path of what a configuration names. */
  public static Path qualified(Path path, Configuration conf) {
    return qualified(path, FileSystem.getDefaultUri(conf));
  }

  /** Asks no file system: a relative path is below what the default one begins with. */
  private static Path qualified(Path path, java.net.URI base) {
    boolean isFile = "file".equals(base.getScheme());
    Path directory = new Path(isFile ? System.getProperty("user.dir") : "/user/" + System.getProperty("user.name"));
    return path.makeQualified(base, directory);
  }
}
