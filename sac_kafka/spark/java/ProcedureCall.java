package sackafka;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import org.apache.spark.sql.execution.QueryExecution;

/**
 * A CALL of a procedure of Iceberg that makes a table of another one's files, with the two names in full. On Spark 3.5 the plan
 * has Iceberg's own node; Spark 4 runs a procedure while it analyzes the statement, whose text then is with the queries of the
 * procedure, and with its result.
 */
public class ProcedureCall {
  private static final String CATALYST = "org.apache.spark.sql.catalyst.plans.logical.Call";
  private static final int LONGEST = 100000;
  private static final List FILES = Arrays.asList(new Object[] {"parquet", "orc", "avro"});

  private final String procedure;
  private List source; // of String
  private List table; // of String

  private ProcedureCall(String procedure) {
    this.procedure = procedure;
  }

  public String procedure() {
    return procedure;
  }

  /** Catalog, namespace and name; of a directory its format and path. */
  public List source() {
    return source;
  }

  public List table() {
    return table;
  }

  /** The call of an execution; null where it calls nothing, or a procedure that copies nothing. `text` is its statement. */
  public static ProcedureCall of(QueryExecution qe, String text, Specification specification) throws Throwable {
    LogicalPlan root = qe.analyzed();
    CatalogManager catalogs = qe.sparkSession().sessionState().catalogManager();
    if (root.getClass().getName().equals(CATALYST)) {
      Object called = specification.step(root, "procedure");
      String name = called.getClass().getName();
      if (!name.startsWith("org.apache.iceberg.spark.procedures.")) return null;
      String catalog = name.endsWith(".AddFilesProcedure") ? name(specification.step(called, "#tableCatalog"), specification) : null;
      String procedure = name.endsWith(".SnapshotTableProcedure") ? "snapshot" : catalog == null ? null : "add_files";
      return procedure == null ? null : new ProcedureCall(procedure).with(root, catalog, catalogs, qe, specification);
    }
    if (text == null || text.length() > LONGEST) return null;
    LogicalPlan call;
    try {
      call = new CatalystSqlParser().parsePlan(text);
    } catch (Throwable notUnderstood) {
      return null;
    }
    if (!call.getClass().getName().equals(CATALYST)) return null;
    List names = list(specification.step(specification.step(call, "procedure"), "nameParts"));
    if (names.size() < 2 || names.size() > 3 || !"system".equals(part(names, 2))) return null;
    String procedure = part(names, 1);
    String catalog = names.size() == 3 ? (String) names.get(0) : name(catalogs.currentCatalog(), specification);
    if (!procedure.equals("snapshot") && !procedure.equals("add_files")) return null;
    return isOfIceberg(catalogs.catalog(catalog).getClass())
        ? new ProcedureCall(procedure).with(call, catalog, catalogs, qe, specification) : null;
  }

  private static String part(List names, int fromEnd) {
    return ((String) names.get(names.size() - fromEnd)).toLowerCase(Locale.ROOT);
  }

  private static boolean isOfIceberg(Class catalog) {
    for (Class c = catalog; c != null; c = c.getSuperclass()) if (c.getName().startsWith("org.apache.iceberg.")) return true;
    return false;
  }

  /** Adds the names, as Iceberg reads them: of add_files the table is of the procedure's catalog, and its source of Spark's own. */
  private ProcedureCall with(
      LogicalPlan call, String catalog, CatalogManager catalogs, QueryExecution qe, Specification specification) throws Throwable {
    boolean isSnapshot = procedure.equals("snapshot");
    List from = parts(argument(call, "source_table", isSnapshot ? 0 : 1, specification));
    List to = parts(argument(call, "table", isSnapshot ? 1 : 0, specification));
    if (from == null || to == null) return null;
    String current = name(catalogs.currentCatalog(), specification);
    table = resolved(to, isSnapshot ? current : catalog, current, catalogs);
    boolean isDirectory = !isSnapshot && from.size() == 2 && FILES.contains(part(from, 2));
    source = isDirectory ? Arrays.asList(new Object[] {part(from, 2), path((String) from.get(1), qe)})
        : resolved(from, isSnapshot ? current : "spark_catalog", current, catalogs);
    return this;
  }

  private static String path(String path, QueryExecution qe) {
    return Locations.qualified(new Path(path), false, qe).toString();
  }

  /** The text of an argument, by its name or position; null where it is not given or no literal. */
  private static String argument(LogicalPlan call, String name, int position, Specification specification) throws Throwable {
    List arguments = list(specification.step(call, "args"));
    Object found = null;
    for (int i = 0; i < arguments.size(); i++) {
      Object each = arguments.get(i);
      boolean isNamed = each.getClass().getSimpleName().equals("NamedArgumentExpression");
      if (isNamed && name.equalsIgnoreCase((String) specification.step(each, "key"))) found = specification.step(each, "value");
      else if (!isNamed && i == position) found = each;
    }
    while (found instanceof Cast) found = ((Cast) found).child();
    Object value = found instanceof Literal ? ((Literal) found).value() : null;
    return value == null ? null : value.toString();
  }

  private static List parts(String name) {
    try {
      return name == null ? null : list(new CatalystSqlParser().parseMultipartIdentifier(name));
    } catch (Throwable notAName) { // as Spark says of it
      return null;
    }
  }

  private static List resolved(List parts, String catalog, String current, CatalogManager catalogs) {
    if (parts.size() > 1 && catalogs.isCatalogRegistered((String) parts.get(0))) return parts;
    List whole = new ArrayList();
    whole.add(catalog);
    if (parts.size() == 1)
      whole.addAll(Arrays.asList(catalog.equals(current) ? catalogs.currentNamespace() : catalogs.catalog(catalog).defaultNamespace()));
    whole.addAll(parts);
    return whole;
  }

  private static String name(Object catalog, Specification specification) throws Throwable {
    return (String) specification.step(catalog, "name");
  }

  private static List list(Object sequence) {
    List l = new ArrayList();
    Iterator it = Containers.elements(sequence);
    while (it.hasNext()) l.add(it.next());
    return l;
  }
}
