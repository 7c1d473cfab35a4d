package sackafka.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A catalog of tables whose rows are in the driver, for tests: namespaces of any depth, every change of a table. Option
 * `row-level` true: its tables take UPDATE, MERGE and DELETE, by ReplaceData, or with the property `supports-deltas` by
 * WriteDelta. It keeps what it holds as long as the driver lives: sessions and contexts come and go.
 */
public class MemoryCatalog implements TableCatalog, SupportsNamespaces {
  private static final Map<String, Map<List<String>, MemoryTable>> TABLES = new HashMap<>(); // by catalog
  private static final Map<String, Map<List<String>, Map<String, String>>> NAMESPACES = new HashMap<>();

  private String name;
  private boolean rowLevel;
  private Map<List<String>, MemoryTable> tables;
  private Map<List<String>, Map<String, String>> namespaces;

  @Override
  public void initialize(String catalogName, CaseInsensitiveStringMap options) {
    name = catalogName;
    rowLevel = options.getBoolean("row-level", false);
    synchronized (TABLES) {
      tables = TABLES.computeIfAbsent(name, n -> new HashMap<>());
      namespaces = NAMESPACES.computeIfAbsent(name, n -> new HashMap<>());
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Identifier[] listTables(String[] namespace) {
    List<String> within = Arrays.asList(namespace);
    return tables.keySet().stream()
        .filter(key -> key.subList(0, key.size() - 1).equals(within))
        .map(key -> Identifier.of(namespace, key.get(key.size() - 1)))
        .toArray(Identifier[]::new);
  }

  @Override
  public Table loadTable(Identifier ident) throws NoSuchTableException {
    MemoryTable table = tables.get(key(ident));
    if (table == null) throw new NoSuchTableException(ident);
    return table;
  }

  @Override
  public Table createTable(Identifier ident, StructType schema, Transform[] partitions, Map<String, String> properties)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    if (tables.containsKey(key(ident))) throw new TableAlreadyExistsException(ident);
    if (!namespaceExists(ident.namespace())) throw new NoSuchNamespaceException(ident.namespace());
    String whole = name + "." + String.join(".", key(ident));
    MemoryTable table =
        rowLevel
            ? new RowLevelTable(whole, schema, partitions, properties)
            : new MemoryTable(whole, schema, partitions, properties);
    tables.put(key(ident), table);
    return table;
  }

  @Override
  public Table alterTable(Identifier ident, TableChange... changes) throws NoSuchTableException {
    MemoryTable table = (MemoryTable) loadTable(ident);
    for (TableChange change : changes) table.change(change);
    return table;
  }

  @Override
  public boolean dropTable(Identifier ident) {
    return tables.remove(key(ident)) != null;
  }

  @Override
  public void renameTable(Identifier from, Identifier to) throws NoSuchTableException, TableAlreadyExistsException {
    MemoryTable table = (MemoryTable) loadTable(from);
    if (tables.containsKey(key(to))) throw new TableAlreadyExistsException(to);
    if (!namespaceExists(to.namespace())) throw new IllegalArgumentException("no namespace for " + to);
    tables.put(key(to), table.renamed(name + "." + String.join(".", key(to))));
    tables.remove(key(from));
  }

  @Override
  public String[][] listNamespaces() {
    return namespaces.keySet().stream().filter(n -> n.size() == 1).map(MemoryCatalog::array).toArray(String[][]::new);
  }

  @Override
  public String[][] listNamespaces(String[] namespace) {
    List<String> above = Arrays.asList(namespace);
    return namespaces.keySet().stream()
        .filter(n -> n.size() == above.size() + 1 && n.subList(0, above.size()).equals(above))
        .map(MemoryCatalog::array)
        .toArray(String[][]::new);
  }

  @Override
  public boolean namespaceExists(String[] namespace) {
    return namespaces.containsKey(Arrays.asList(namespace));
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
    Map<String, String> properties = namespaces.get(Arrays.asList(namespace));
    if (properties == null) throw new NoSuchNamespaceException(namespace);
    return properties;
  }

  @Override
  public void createNamespace(String[] namespace, Map<String, String> properties) {
    for (int depth = 1; depth < namespace.length; depth++)
      namespaces.putIfAbsent(Arrays.asList(Arrays.copyOf(namespace, depth)), new TreeMap<>());
    namespaces.put(Arrays.asList(namespace), new TreeMap<>(properties));
  }

  @Override
  public void alterNamespace(String[] namespace, NamespaceChange... changes) throws NoSuchNamespaceException {
    Map<String, String> properties = loadNamespaceMetadata(namespace);
    for (NamespaceChange change : changes) {
      if (change instanceof NamespaceChange.SetProperty) {
        NamespaceChange.SetProperty set = (NamespaceChange.SetProperty) change;
        properties.put(set.property(), set.value());
      } else if (change instanceof NamespaceChange.RemoveProperty) {
        properties.remove(((NamespaceChange.RemoveProperty) change).property());
      }
    }
  }

  @Override
  public boolean dropNamespace(String[] namespace, boolean cascade) {
    List<String> dropped = Arrays.asList(namespace);
    tables.keySet().removeIf(key -> isWithin(key.subList(0, key.size() - 1), dropped));
    return namespaces.keySet().removeIf(n -> isWithin(n, dropped));
  }

  private static boolean isWithin(List<String> namespace, List<String> above) {
    return namespace.size() >= above.size() && namespace.subList(0, above.size()).equals(above);
  }

  private static String[] array(List<String> parts) {
    return parts.toArray(new String[0]);
  }

  private static List<String> key(Identifier ident) {
    List<String> parts = new ArrayList<>(Arrays.asList(ident.namespace()));
    parts.add(ident.name());
    return parts;
  }
}
