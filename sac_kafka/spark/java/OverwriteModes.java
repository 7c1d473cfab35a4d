package sackafka;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;

/**
 * What an overwrite replaces where its options do not state it: the setting of the session when the execution started. By its
 * end, when it is read, the job may have changed the setting.
 */
public class OverwriteModes {
  private static final String SETTING = "spark.sql.sources.partitionOverwriteMode";
  private static final int MAX_OPEN = 1000;

  private final Map started = new LinkedHashMap(); // execution id to the mode that the session has set, "" for none
  private String mode; // of the execution that is read; null if its start is unknown

  /** The event that is read from now on. */
  public void begin(Object event) {
    mode = null;
    if (event instanceof SparkListenerSQLExecutionStart) {
      SparkListenerSQLExecutionStart start = (SparkListenerSQLExecutionStart) event;
      String set = Steps.option(start.modifiedConfigs(), SETTING);
      if (started.size() >= MAX_OPEN) started.remove(started.keySet().iterator().next()); // its end was lost
      started.put(Long.valueOf(start.executionId()), set == null ? "" : set);
    } else if (event instanceof SparkListenerSQLExecutionEnd)
      mode = (String) started.remove(Long.valueOf(((SparkListenerSQLExecutionEnd) event).executionId()));
  }

  /** Whether a command replaces only the partitions that it writes. */
  public Boolean isDynamic(InsertIntoHadoopFsRelationCommand command, QueryExecution qe) {
    if (command.mode() != SaveMode.Overwrite) return Boolean.FALSE;
    if (command.staticPartitions().size() >= command.partitionColumns().size()) return Boolean.FALSE;
    return Boolean.valueOf(isDynamic(command.options(), qe));
  }

  /** Whether an overwrite with these options replaces the rows of a condition only, or the partitions that it writes. */
  public Boolean isPartial(Object options, QueryExecution qe) {
    return Boolean.valueOf(Steps.option(options, "replaceWhere") != null || isDynamic(options, qe));
  }

  private boolean isDynamic(Object options, QueryExecution qe) {
    String chosen = Steps.option(options, "partitionOverwriteMode");
    if (chosen == null) chosen = mode;
    if (chosen == null) chosen = String.valueOf((Object) qe.sparkSession().sessionState().conf().partitionOverwriteMode());
    if (chosen.isEmpty()) chosen = qe.sparkSession().sparkContext().getConf().get(SETTING, "static");
    return chosen.equalsIgnoreCase("dynamic");
  }
}
