package sackafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAlias;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.analysis.UnresolvedHaving;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Distinct;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith;

/** The names in a query that another database runs, found by Spark's own parser; its text stays in the driver. */
public class ForeignQuery {
  private static final String PART =
      "(?:[^\\s\"`\\[\\]().,;']++|\"(?:[^\"]++|\"\")++\"|`(?:[^`]++|``)++`|\\[[^\\]]++\\])";
  private static final Pattern NAME = Pattern.compile(PART + "(?:\\s*+\\.\\s*+" + PART + ")*+");
  private static final int LONGEST = 100000;
  /** What other databases have and Spark's parser does not, and what says nothing about names: which rows, which locks. */
  private static final Pattern ELSEWHERE =
      Pattern.compile(
          "(?i)(?<!\\s)\\s++(?:offset\\s++\\d++\\s++rows?\\b|fetch\\s++(?:first|next)\\s++(?:\\d++\\s++)?rows?\\s++(?:only|with\\s++ties)"
              + "|with\\s*+\\(\\s*+nolock\\s*+\\)|with\\s++(?:ur|cs|rs|rr)\\b|for\\s++(?:update|read\\s++only|fetch\\s++only)\\b)"
              + "|(?<=\\bselect)\\s++top\\s*+(?:\\(\\s*+)?\\d++(?:\\s*+\\))?(?:\\s++percent)?");

  private final List tables = new ArrayList(); // of List of String
  private List base = new ArrayList(); // of String
  private final List select = new ArrayList(); // of List of String
  private boolean decidesRows = false;

  /** True for a name, quoted or not, with or without its schema; false for a subquery. */
  public static boolean isName(String dbtable) {
    return dbtable.length() < LONGEST && NAME.matcher(dbtable.trim()).matches();
  }

  /** A query; null where Spark's parser does not take it. */
  public static ForeignQuery parse(String url, String text) {
    if (text.length() > LONGEST) return null;
    String sql = text.trim();
    while (sql.endsWith(";")) sql = sql.substring(0, sql.length() - 1).trim();
    sql = ELSEWHERE.matcher(sql).replaceAll("");
    sql = quoted(sql, url.startsWith("jdbc:sqlserver:") || url.startsWith("jdbc:jtds:"), isMySql(url));
    try {
      return new ForeignQuery(new CatalystSqlParser().parsePlan(sql));
    } catch (Throwable notUnderstood) {
      return null;
    }
  }

  private static boolean isMySql(String url) {
    return url.startsWith("jdbc:mysql:") || url.startsWith("jdbc:mariadb:");
  }

  /** "name" (and [name] of SQL Server) as `name`: elsewhere than in MySQL double quotes are around names. */
  private static String quoted(String s, boolean brackets, boolean doubleQuotesAreText) {
    StringBuilder out = new StringBuilder(s.length());
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      int close = c == '[' ? (brackets ? (int) ']' : 0) : c == '\'' || c == '`' || c == '"' ? (int) c : 0;
      if (close == 0) {
        out.append(c);
        continue;
      }
      int end = s.indexOf(close, i + 1);
      if (end < 0) return s;
      boolean isName = c == '[' || c == '"' && !doubleQuotesAreText;
      String inside = s.substring(i + 1, end);
      if (isName) out.append('`').append(inside.replace("`", "``")).append('`');
      else out.append(c).append(inside).append(c);
      i = end;
    }
    return out.toString();
  }

  private ForeignQuery(LogicalPlan plan) {
    names(plan);
    selected(plan);
  }

  public List tables() {
    return tables;
  }

  public List base() {
    return base;
  }

  public List select() {
    return select;
  }

  /** False where the query takes all rows of its one table as they are. */
  public boolean decidesRows() {
    return decidesRows;
  }

  private void names(LogicalPlan root) {
    Set common = new HashSet();
    List found = new ArrayList();
    ArrayDeque stack = new ArrayDeque();
    stack.push(root);
    while (!stack.isEmpty()) {
      LogicalPlan p = (LogicalPlan) stack.pop();
      if (!takesAllRows(p)) decidesRows = true;
      if (p instanceof UnresolvedRelation) found.add(parts((UnresolvedRelation) p));
      push(p.children().iterator(), stack);
      push(p.innerChildren().iterator(), stack);
      if (p instanceof UnresolvedWith) {
        Iterator inner = list(p.innerChildren().iterator()).iterator();
        while (inner.hasNext()) common.add(((SubqueryAlias) inner.next()).alias().toLowerCase(Locale.ROOT));
      }
      ArrayDeque expressions = new ArrayDeque();
      push(p.expressions().iterator(), expressions);
      while (!expressions.isEmpty()) {
        Expression e = (Expression) expressions.pop();
        if (e instanceof PlanExpression) stack.push(((PlanExpression) e).plan());
        push(e.children().iterator(), expressions);
      }
    }
    for (int i = 0; i < found.size(); i++) {
      List name = (List) found.get(i);
      boolean isCommon = name.size() == 1 && common.contains(((String) name.get(0)).toLowerCase(Locale.ROOT));
      if (!isCommon && !tables.contains(name)) tables.add(name);
    }
  }

  /** Which columns of one table the query hands out, where that can be read off its SELECT list. */
  private void selected(LogicalPlan root) {
    LogicalPlan p = root;
    while (isAround(p)) p = (LogicalPlan) list(p.children().iterator()).get(0);
    List items = p instanceof Project ? list(((Project) p).projectList().iterator())
        : p instanceof Aggregate ? list(((Aggregate) p).aggregateExpressions().iterator()) : null;
    if (items == null) return;
    LogicalPlan below = (LogicalPlan) list(p.children().iterator()).get(0);
    while (below instanceof Filter || below instanceof SubqueryAlias) below = (LogicalPlan) list(below.children().iterator()).get(0);
    if (isStar(items) && !(below instanceof UnresolvedRelation)) {
      selected(below);
      return;
    }
    if (!(below instanceof UnresolvedRelation)) return;
    List name = parts((UnresolvedRelation) below);
    if (!tables.contains(name)) return;
    base = name;
    for (int i = 0; i < items.size(); i++) item((Expression) items.get(i));
  }

  private static boolean isAround(LogicalPlan p) {
    return p instanceof GlobalLimit || p instanceof LocalLimit || p instanceof Sort || p instanceof Filter
        || p instanceof SubqueryAlias || p instanceof Distinct || p instanceof UnresolvedHaving;
  }

  private static boolean takesAllRows(LogicalPlan p) {
    return p instanceof Project || p instanceof SubqueryAlias || p instanceof UnresolvedRelation
        || p instanceof GlobalLimit || p instanceof LocalLimit;
  }

  private static boolean isStar(List items) {
    return items.size() == 1 && isStar((Expression) items.get(0));
  }

  private static boolean isStar(Expression e) {
    return e.getClass().getSimpleName().equals("UnresolvedStar");
  }

  private void item(Expression e) {
    List item = new ArrayList();
    if (isStar(e)) item.add("*");
    else {
      Expression value = e instanceof UnresolvedAlias ? (Expression) list(e.children().iterator()).get(0) : e;
      if (value instanceof Alias) item.add(((Alias) value).name());
      else if (value instanceof UnresolvedAttribute) item.add(last((UnresolvedAttribute) value));
      else return; // the database gives it a name
      if (value instanceof Alias) value = ((Alias) value).child();
      item.add(value instanceof UnresolvedAttribute ? "=" : "~");
      if (!columns(value, item)) return;
    }
    select.add(item);
  }

  private static boolean columns(Expression root, List to) {
    ArrayDeque stack = new ArrayDeque();
    stack.push(root);
    while (!stack.isEmpty()) {
      Expression e = (Expression) stack.pop();
      if (e instanceof PlanExpression) return false;
      if (e instanceof UnresolvedAttribute && !to.subList(2, to.size()).contains(last((UnresolvedAttribute) e)))
        to.add(last((UnresolvedAttribute) e));
      push(e.children().iterator(), stack);
    }
    return true;
  }

  private static String last(UnresolvedAttribute a) {
    List parts = list(a.nameParts().iterator());
    return (String) parts.get(parts.size() - 1);
  }

  private static List parts(UnresolvedRelation r) {
    return list(r.multipartIdentifier().iterator());
  }

  private static void push(scala.collection.Iterator it, ArrayDeque to) {
    while (it.hasNext()) to.push(it.next());
  }

  private static List list(scala.collection.Iterator it) {
    List l = new ArrayList();
    while (it.hasNext()) l.add(it.next());
    return l;
  }
}
