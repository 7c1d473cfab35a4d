package sackafka;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.SerializableJobConf;

/** What a job writes with an output format of Hadoop's, by the configuration that its function holds. */
public class HadoopOutput {
  private static final String[] FORMATS = {"mapreduce.job.outputformat.class", "mapred.output.format.class"};
  private static final String PATH = "mapreduce.output.fileoutputformat.outputdir";
  private static final String HBASE_TABLE = "hbase.mapred.outputtable";
  private static final String WRITER = "org.apache.spark.internal.io.";

  private final String format;
  private final String path;
  private final String table;

  private HadoopOutput(String format, String path, String table) {
    this.format = format;
    this.path = path;
    this.table = table;
  }

  /** Null where the function holds no configuration. */
  public static HadoopOutput of(Object write) throws IllegalAccessException {
    boolean[] isOld = new boolean[1];
    Configuration conf = configuration(write, 0, isOld);
    if (conf == null) return null;
    String format = conf.get(FORMATS[isOld[0] ? 1 : 0], "");
    boolean ofHBase = format.startsWith("org.apache.hadoop.hbase.");
    String path = ofHBase ? null : conf.get(PATH);
    String qualified = path == null || path.length() == 0 ? null : Locations.qualified(new Path(path), conf).toString();
    return new HadoopOutput(format, qualified, ofHBase ? conf.get(HBASE_TABLE) : null);
  }

  /** The function holds the writer's settings, and these the configuration. */
  private static Configuration configuration(Object o, int depth, boolean[] isOld) throws IllegalAccessException {
    if (o instanceof SerializableJobConf) {
      isOld[0] = true;
      return ((SerializableJobConf) o).value();
    }
    if (o instanceof SerializableConfiguration) return ((SerializableConfiguration) o).value();
    if (o == null || depth > 2 || !o.getClass().getName().startsWith(WRITER)) return null;
    for (Class c = o.getClass(); c != null && c != Object.class; c = c.getSuperclass()) {
      Field[] fields = c.getDeclaredFields();
      for (int i = 0; i < fields.length; i++) {
        if (Modifier.isStatic(fields[i].getModifiers()) || fields[i].getType().isPrimitive()) continue;
        fields[i].setAccessible(true);
        Configuration found = configuration(fields[i].get(o), depth + 1, isOld);
        if (found != null) return found;
      }
    }
    return null;
  }

  /** The class, "" where none is named. */
  public String format() {
    return format;
  }

  public String path() {
    return path;
  }

  public String table() {
    return table;
  }
}
