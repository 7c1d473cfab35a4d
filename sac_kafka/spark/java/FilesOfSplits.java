package sackafka;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.rdd.RDD;

/** What the globs of an RDD stood for: the splits name the files, and are there once the RDD has been divided for a job. */
public class FilesOfSplits {
  private static final int MAX_SPLITS = 10000;
  private static final int MAX_FOUND = 1000;
  private static final String SPECIAL = "*?[]{}\\";

  /** The paths that globs matched; none if no job has divided the RDD yet, or if there are too many. */
  public static List of(RDD rdd, List paths, Specification specification) {
    boolean hasGlob = false;
    for (int i = 0; i < paths.size(); i++) hasGlob |= isGlob((String) paths.get(i));
    if (!hasGlob) return new ArrayList();
    try {
      Object splits = specification.step(rdd, "#partitions_"); // its accessor would list the files
      return splits instanceof Object[] ? found((Object[]) splits, paths, specification) : new ArrayList();
    } catch (Throwable unknown) {
      return new ArrayList();
    }
  }

  private static List found(Object[] splits, List paths, Specification specification) throws Throwable {
    List none = new ArrayList();
    if (splits.length > MAX_SPLITS) return none;
    List asked = new ArrayList();
    Set found = new LinkedHashSet();
    for (int i = 0; i < paths.size(); i++) {
      String path = (String) paths.get(i);
      String[] segments = segments(path);
      if (isGlob(path) && hasSlashInBraces(path)) return none;
      asked.add(segments);
      if (!isGlob(path)) found.add(path);
    }
    for (int i = 0; i < splits.length; i++) {
      Path[] files = files(splits[i], specification);
      if (files == null || files.length > MAX_SPLITS) return none;
      for (int k = 0; k < files.length; k++) {
        Path at = asAsked(files[k], asked);
        if (at == null) return none;
        if (found.add(at.toString()) && found.size() > MAX_FOUND) return none;
      }
    }
    return new ArrayList(found);
  }

  private static Path[] files(Object partition, Specification specification) throws Throwable {
    boolean isOld = partition.getClass().getName().equals("org.apache.spark.rdd.HadoopPartition");
    Object writable = specification.step(partition, isOld ? "inputSplit" : "serializableHadoopSplit");
    Object split = specification.step(writable, "value");
    if (split instanceof org.apache.hadoop.mapred.FileSplit) return new Path[] {((org.apache.hadoop.mapred.FileSplit) split).getPath()};
    if (split instanceof org.apache.hadoop.mapreduce.lib.input.FileSplit)
      return new Path[] {((org.apache.hadoop.mapreduce.lib.input.FileSplit) split).getPath()};
    if (split instanceof org.apache.hadoop.mapreduce.lib.input.CombineFileSplit)
      return ((org.apache.hadoop.mapreduce.lib.input.CombineFileSplit) split).getPaths();
    return null;
  }

  /** A file, or what it is in, as deep as the first of the paths that it can have been found by. */
  private static Path asAsked(Path file, List asked) {
    String[] own = segments(file.toString());
    for (int i = 0; i < asked.size(); i++) {
      String[] glob = (String[]) asked.get(i);
      if (!fits(own, glob)) continue;
      Path at = file;
      for (int k = own.length; k > glob.length; k--) at = at.getParent();
      return at;
    }
    return null;
  }

  private static boolean fits(String[] own, String[] glob) {
    if (glob.length > own.length) return false;
    for (int i = 0; i < glob.length; i++) if (!isGlob(glob[i]) && !glob[i].equals(own[i])) return false;
    return true;
  }

  /** The segments below the optional scheme and host. */
  private static String[] segments(String path) {
    int colon = path.indexOf(':');
    String below = colon >= 0 && path.indexOf('/') > colon ? path.substring(colon + 1) : path;
    if (below.startsWith("//")) {
      int end = below.indexOf('/', 2);
      below = end < 0 ? "" : below.substring(end);
    }
    List found = new ArrayList();
    java.util.StringTokenizer each = new java.util.StringTokenizer(below, "/");
    while (each.hasMoreTokens()) found.add(each.nextToken());
    return (String[]) found.toArray(new String[0]);
  }

  private static boolean isGlob(String text) {
    for (int i = 0; i < text.length(); i++) if (SPECIAL.indexOf(text.charAt(i)) >= 0) return true;
    return false;
  }

  private static boolean hasSlashInBraces(String path) {
    int depth = 0;
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '{') depth++;
      else if (c == '}') depth--;
      else if (c == '/' && depth > 0) return true;
    }
    return false;
  }
}
