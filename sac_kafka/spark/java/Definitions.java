package sackafka;

import java.lang.reflect.Method;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchDatabaseException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.catalog.AlterTableEvent;
import org.apache.spark.sql.catalyst.catalog.CreateTableEvent;
import org.apache.spark.sql.catalyst.catalog.DatabaseEvent;
import org.apache.spark.sql.catalyst.catalog.DropDatabaseEvent;
import org.apache.spark.sql.catalyst.catalog.DropTableEvent;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalog;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogEvent;
import org.apache.spark.sql.catalyst.catalog.RenameTableEvent;
import org.apache.spark.sql.catalyst.catalog.TableEvent;

/** What the session catalog holds under the name that one of its events carries: events carry names only. */
public class Definitions {
  private final boolean looksUp;
  private volatile Object shared;

  /** looksUp: false where another hook watches the metastore, and where asking it would be a call to a remote server. */
  public Definitions(boolean looksUp) {
    this.looksUp = looksUp;
  }

  public boolean looksUp() {
    return looksUp;
  }

  /** The CatalogTable or CatalogDatabase; null where it is gone by now, is not looked up, or is not to be had. */
  public Object of(ExternalCatalogEvent e) throws Throwable {
    if (!looksUp || e instanceof DropTableEvent || e instanceof DropDatabaseEvent) return null;
    if (e instanceof AlterTableEvent && ((AlterTableEvent) e).kind().equals("stats")) return null;
    ExternalCatalog c = catalog();
    if (c == null) throw new IllegalStateException("no session");
    try {
      if (e instanceof RenameTableEvent) return c.getTable(((RenameTableEvent) e).database(), ((RenameTableEvent) e).newName());
      if (e instanceof TableEvent) return c.getTable(((TableEvent) e).database(), ((TableEvent) e).name());
      return c.getDatabase(((DatabaseEvent) e).database());
    } catch (Throwable gone) { // checked exceptions of Scala are not declared
      if (gone instanceof NoSuchTableException || gone instanceof NoSuchDatabaseException) return null;
      throw gone;
    }
  }

  /**
   * Called for catalog events only, when the catalog is in use already: reading it earlier would connect to the Hive metastore
   * for a job that does not need it, or create a Derby database in the working directory.
   */
  private ExternalCatalog catalog() throws Throwable {
    if (shared == null && SparkSession.getDefaultSession().isDefined()) remember(SparkSession.getDefaultSession().get());
    return shared == null ? null : (ExternalCatalog) call(shared, "externalCatalog");
  }

  /** The sessions of a context share one catalog: that of the first session that was seen will do. */
  public void remember(Object session) {
    if (shared != null || !looksUp) return;
    try {
      shared = call(session, "sharedState");
    } catch (Throwable none) { // an event of this session says it again
      shared = null;
    }
  }

  private static Object call(Object o, String method) throws Throwable {
    Method m = o.getClass().getMethod(method, new Class[0]);
    m.setAccessible(true);
    return m.invoke(o, new Object[0]);
  }
}
