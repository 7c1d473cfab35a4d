package sackafka;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.StringUtils;
import org.apache.spark.rdd.NewHadoopRDD;
import org.apache.spark.rdd.RDD;

/** What an RDD reads with an input format of Hadoop's: of its configuration where the rows are, and nothing else. */
public class HadoopInput {
  private static final String PATHS = "mapreduce.input.fileinputformat.inputdir";
  private static final String HBASE_TABLE = "hbase.mapreduce.inputtable";
  private static final int MAX_PATHS = 10000;

  private final String format;
  private final List paths = new ArrayList();
  private final String table;
  private List found = new ArrayList();

  private HadoopInput(String format, String table) {
    this.format = format;
    this.table = table;
  }

  public static HadoopInput of(RDD rdd, Configuration conf, Specification specification) throws Throwable {
    boolean isNew = rdd instanceof NewHadoopRDD; // scalac calls its field by the whole name
    Class format = (Class) specification.step(rdd, (isNew ? "#org$apache$spark$rdd$NewHadoopRDD$$" : "#") + "inputFormatClass");
    boolean ofHBase = format.getName().startsWith("org.apache.hadoop.hbase.");
    HadoopInput input = new HadoopInput(format.getName(), ofHBase ? conf.get(HBASE_TABLE) : null);
    boolean ofFiles =
        org.apache.hadoop.mapred.FileInputFormat.class.isAssignableFrom(format)
            || org.apache.hadoop.mapreduce.lib.input.FileInputFormat.class.isAssignableFrom(format);
    String[] escaped = ofFiles ? StringUtils.split(conf.get(PATHS, "")) : new String[0];
    for (int i = 0; i < Math.min(escaped.length, MAX_PATHS); i++) {
      String path = StringUtils.unEscapeString(escaped[i]);
      if (path.length() > 0) input.paths.add(Locations.qualified(new Path(path), conf).toString());
    }
    input.found = FilesOfSplits.of(rdd, input.paths, specification);
    return input;
  }

  /** The class. */
  public String format() {
    return format;
  }

  /** As the user wrote them, globs too. */
  public List paths() {
    return paths;
  }

  /** The paths with globs replaced by what they matched; none if that is not known yet. */
  public List found() {
    return found;
  }

  public String table() {
    return table;
  }
}
