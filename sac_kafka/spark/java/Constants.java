package sackafka;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InheritAnalysisRules;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.PivotFirst;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.CalendarIntervalType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The constants of expressions as SQL, as far as the text of a statement shows them (Masking.sqlWithoutLiterals): numbers of
 * less than seven digits, truth values and intervals; all others only where statements keep their literals, or as formats.
 */
public class Constants {
  private static final int LONGEST = 200; // bytes of a string
  private static final int LONGEST_FORMAT = 60;
  private static final Pattern LONG_NUMBER = Pattern.compile("\\d{7}");
  private static final Pattern PLAIN_DECIMAL = Pattern.compile("-?\\d+\\.\\d+BD");
  private static final Pattern MARK = Pattern.compile("(?s).|[^\\p{L}\\p{N}]{2,3}");
  private static final Pattern KEYED = Pattern.compile("(?:try_)?aes_.*|hmac");

  private final Specification specification;
  private final Texts texts;
  private final boolean literals;
  private final Map hidden = new IdentityHashMap(); // Literal -> itself

  /** literals: statements keep theirs. */
  public Constants(Specification specification, Texts texts, boolean literals) {
    this.specification = specification;
    this.texts = texts;
    this.literals = literals;
  }

  /** The constant as SQL; null for NULL and for one that is not shown. */
  public String of(Literal literal) {
    Object value = literal.value();
    DataType type = literal.dataType();
    if (value == null || hidden.containsKey(literal)) return null;
    if (type instanceof BooleanType) return literal.sql();
    if (type instanceof NumericType || isInterval(type)) {
      String sql = literal.sql();
      if (PLAIN_DECIMAL.matcher(sql).matches()) sql = sql.substring(0, sql.length() - 2);
      // The length that Spark gives to a substring without one says nothing.
      boolean shown = literals || value.equals(Integer.valueOf(Integer.MAX_VALUE)) || !LONG_NUMBER.matcher(sql).find();
      return shown ? sql : null;
    }
    return literals && isShort(value) && isText(type) ? texts.statement(literal.sql()) : null;
  }

  private static boolean isInterval(DataType type) {
    return type instanceof DayTimeIntervalType || type instanceof YearMonthIntervalType || type instanceof CalendarIntervalType;
  }

  private static boolean isText(DataType type) {
    return type instanceof StringType
        || type instanceof DateType
        || type instanceof TimestampType
        || type instanceof TimestampNTZType
        || type instanceof BinaryType
        || type.catalogString().startsWith("time("); // of Spark 4
  }

  private static boolean isShort(Object value) {
    if (value instanceof UTF8String) return ((UTF8String) value).numBytes() <= LONGEST;
    return !(value instanceof byte[]) || ((byte[]) value).length <= LONGEST;
  }

  /** The values of PIVOT in order; null in place of those that are not shown. */
  public List ofPivot(PivotFirst pivot) {
    List shown = new ArrayList();
    DataType type = pivot.pivotColumn().dataType();
    boolean secret = isSecret(pivot.pivotColumn());
    Iterator it = Containers.elements(pivot.pivotColumnValues());
    while (it.hasNext()) {
      Object value = it.next();
      shown.add(value == null ? "NULL" : secret ? null : of(new Literal(value, type)));
    }
    return shown;
  }

  /** The formats among the arguments of a function, each at its position; null where it has none. */
  public List formats(Expression e) {
    List wanted = specification.formats(e.prettyName().toLowerCase(Locale.ROOT));
    if (wanted == null) return null;
    List arguments = arguments(e);
    List found = null;
    for (int i = 0; i < wanted.size(); i++) {
      Specification.Format f = (Specification.Format) wanted.get(i);
      if (f.position >= arguments.size() || f.arity > 0 && f.arity != arguments.size()) continue;
      String text = format((Expression) arguments.get(f.position), f);
      if (text == null) continue;
      if (found == null) found = new ArrayList();
      while (found.size() <= f.position) found.add(null);
      found.set(f.position, text);
    }
    return found;
  }

  private String format(Expression argument, Specification.Format f) {
    if (!(argument instanceof Literal) || !(((Literal) argument).value() instanceof UTF8String)) return null;
    UTF8String value = (UTF8String) ((Literal) argument).value();
    if (f.ending.length() > 0) return value.endsWith(UTF8String.fromString(f.ending)) ? f.ending : null;
    if (value.numBytes() > LONGEST_FORMAT) return null;
    String text = value.toString();
    if (f.mark ? !MARK.matcher(text).matches() : LONG_NUMBER.matcher(text).find()) return null;
    return ((Literal) argument).sql();
  }

  private static List arguments(Expression e) {
    return e instanceof InheritAnalysisRules ? list(((InheritAnalysisRules) e).parameters()) : children(e);
  }

  private static List children(Expression e) {
    return list(e.children());
  }

  private static List list(Object sequence) {
    List all = new ArrayList();
    Iterator it = Containers.elements(sequence);
    while (it.hasNext()) all.add(it.next());
    return all;
  }

  /** Decides which literals are kept: not those next to the name of a secret, nor those of functions that take a key. */
  public void hideSecrets(Expression e) {
    if (!literals) return;
    List operands = arguments(e);
    if (e instanceof InheritAnalysisRules) operands.addAll(children(e));
    boolean secret;
    try {
      secret = KEYED.matcher(e.prettyName()).matches() || isSecret(e);
      for (int i = 0; i < operands.size() && !secret; i++) secret = isSecret((Expression) operands.get(i));
    } catch (Throwable nameless) {
      secret = true; // its name is unknown
    }
    for (int i = 0; i < operands.size() && secret; i++) {
      Expression operand = (Expression) operands.get(i);
      while (operand.children().size() == 1) operand = (Expression) operand.children().apply(0);
      if (operand instanceof Literal) hidden.put(operand, operand);
    }
  }

  /** What names a secret: a column, also within a function of it alone, or a literal that is a key. */
  private boolean isSecret(Expression operand) {
    Expression e = operand;
    while (!(e instanceof NamedExpression) && e.children().size() == 1) e = (Expression) e.children().apply(0);
    if (e instanceof NamedExpression) return texts.isSecret(((NamedExpression) e).name());
    if (!(e instanceof Literal) || !(((Literal) e).value() instanceof UTF8String)) return false;
    UTF8String value = (UTF8String) ((Literal) e).value();
    return value.numBytes() <= LONGEST && texts.isSecret(value.toString());
  }
}
