package sackafka;

import java.lang.reflect.Field;
import org.apache.spark.sql.execution.QueryExecution;
import scala.util.Success;

/**
 * How far a query has come, without its lazy members: after a failure Spark 3 evaluates them again, and
 * Spark 4 rewrites the stack of the exception that the user holds.
 */
public class Planned {
  /** True where the query was analyzed: a phase is recorded when it is over. */
  public static boolean isAnalyzed(QueryExecution qe) {
    return qe.tracker().phases().contains("analysis");
  }

  /** True where planning has begun: what has run is planned, but of some executions there is no plan to run. */
  public static boolean isPlanned(QueryExecution qe) {
    return qe.tracker().phases().contains("planning");
  }

  /** True if the executed plan exists: Spark 3 keeps it in a field, Spark 4 in a LazyTry. False where neither is known. */
  public static boolean hasExecutedPlan(QueryExecution qe) {
    try {
      Object tried = value(qe, QueryExecution.class, "lazyExecutedPlan");
      return tried == null ? value(qe, QueryExecution.class, "executedPlan") != null : value(tried, tried.getClass(), "tryT") instanceof Success;
    } catch (Throwable e) {
      return false;
    }
  }

  private static Object value(Object o, Class declaring, String name) throws Throwable {
    try {
      Field field = declaring.getDeclaredField(name);
      field.setAccessible(true);
      return field.get(o);
    } catch (NoSuchFieldException e) {
      return null;
    }
  }
}
