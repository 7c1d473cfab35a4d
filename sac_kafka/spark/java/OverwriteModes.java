package sackafka;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;

/**
 * What an overwrite replaces where its options do not state it: the setting of the session when the execution started. By its
 * end, when it is read, the job may have changed the setting.
 */
public class OverwriteModes {
  private static final String SETTING = "spark.sql.sources.partitionOverwriteMode";
  private static final String[] CONDITIONS = {"replaceWhere", "replaceOn", "replaceUsing"}; // the latter are of Databricks
  private static final int MAX_KNOWN = 1000;

  private final Map known = new LinkedHashMap(); // execution id to the mode that the session had set, "" for none

  /** An execution has started. */
  public void started(SparkListenerSQLExecutionStart e) {
    String set = Steps.option(e.modifiedConfigs(), SETTING);
    synchronized (known) {
      if (known.size() >= MAX_KNOWN) known.remove(known.keySet().iterator().next());
      known.put(Long.valueOf(e.executionId()), set == null ? "" : set);
    }
  }

  /** Whether a command of an execution replaces only the partitions that it writes. */
  public Boolean isDynamic(InsertIntoHadoopFsRelationCommand command, long execution, QueryExecution qe) {
    if (command.mode() != SaveMode.Overwrite) return Boolean.FALSE;
    if (command.staticPartitions().size() >= command.partitionColumns().size()) return Boolean.FALSE;
    return Boolean.valueOf(isDynamic(command.options(), execution, qe));
  }

  /** Whether an overwrite with these options replaces the rows of a condition only, or the partitions that it writes. */
  public Boolean isPartial(Object options, long execution, QueryExecution qe) {
    for (int i = 0; i < CONDITIONS.length; i++) if (Steps.option(options, CONDITIONS[i]) != null) return Boolean.TRUE;
    return Boolean.valueOf(isDynamic(options, execution, qe));
  }

  private boolean isDynamic(Object options, long execution, QueryExecution qe) {
    String mode = Steps.option(options, "partitionOverwriteMode");
    if (mode == null) {
      synchronized (known) {
        mode = (String) known.get(Long.valueOf(execution));
      }
    }
    if (mode == null) mode = String.valueOf((Object) qe.sparkSession().sessionState().conf().partitionOverwriteMode());
    if (mode.isEmpty()) mode = qe.sparkSession().sparkContext().getConf().get(SETTING, "static");
    return mode.equalsIgnoreCase("dynamic");
  }
}
