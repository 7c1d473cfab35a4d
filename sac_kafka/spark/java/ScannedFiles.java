package sackafka;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.RDDOperationScope;

/** The files that a query reads, where only its RDD is known: their directories, and what Spark calls the scan. */
public class ScannedFiles {
  private static final int MAX_FILES = 10000;
  private static final Pattern SCAN = Pattern.compile("Scan (\\w+) *(?:(?:spark_catalog\\.)?(\\w+\\.\\w+))?");

  private final String format;
  private final String table;
  private final List paths = new ArrayList();

  private ScannedFiles(String format, String table) {
    this.format = format;
    this.table = table;
  }

  public static ScannedFiles of(RDD rdd, Specification specification) throws Throwable {
    Object scope = Containers.unwrap(rdd.scope());
    Matcher scan = SCAN.matcher(scope == null ? "" : ((RDDOperationScope) scope).name());
    boolean isNamed = scan.matches();
    ScannedFiles found = new ScannedFiles(isNamed ? scan.group(1) : "", isNamed ? scan.group(2) : null);
    Map files = new LinkedHashMap(); // directory -> its only file, or the directory where there are more
    Iterator partitions = Containers.elements(specification.step(rdd, "filePartitions"));
    for (int n = 0; partitions.hasNext() && n < MAX_FILES; ) {
      Iterator parts = Containers.elements(specification.step(partitions.next(), "files"));
      for (; parts.hasNext() && n < MAX_FILES; n++) {
        Path file = path(specification.step(parts.next(), "filePath"), specification);
        String directory = String.valueOf(file.getParent());
        Object known = files.get(directory);
        boolean isOther = known != null && !known.equals(file.toString());
        files.put(directory, isOther ? directory : file.toString());
      }
    }
    found.paths.addAll(files.values());
    return found;
  }

  private static Path path(Object file, Specification specification) throws Throwable {
    return file instanceof String ? new Path(java.net.URI.create((String) file)) : (Path) specification.step(file, "toPath");
  }

  /** `parquet`, "" where it is not known. */
  public String format() {
    return format;
  }

  /** Database and name of the session catalog's table, where it was read by its name. */
  public String table() {
    return table;
  }

  public List paths() {
    return paths;
  }
}
