package sackafka;

import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * One event as one line of text: a JSON array of flat records, each object once, in post-order, so that every reference
 * points backwards and neither side needs recursion over plans or expressions.
 *
 * <pre>
 * ["c", class, [field ...]]                           a class, numbered from 0 in order of appearance
 * ["p", class number, [child ...], [subquery ...], [field value ...], 1]
 *                                                     a logical plan; "w" for a Command; 1 where its columns were cut
 * ["e", class number, [child ...], [field value ...]] an expression; of its fields those after the last that is not null
 *                                                     are omitted
 * ["o", class number, [field value ...]]              any other object; the event itself is the last one
 * ["n", what happened, how often]                     a note: something was cut, missing or masked away
 * </pre>
 *
 * Records other than c and n are numbered from 0. In a value an integer is a reference: n >= 0 to record n, n < 0 to the
 * attribute with exprId -n-1. Numbers of Spark's are text. An attribute that is defined is ["id", name, type, nullable].
 */
public class Projection {
  private final Specification specification;
  private final Records records = new Records();
  private final Accessors accessors;
  private final Values values;
  private final Expressions expressions;
  private final Plans plans;

  public Projection(
      Specification specification, Masking masking, Definitions definitions, Jobs jobs, boolean literals, Map foreign, int budget) {
    this.specification = specification;
    Texts texts = new Texts(masking, literals, foreign, records);
    ColumnNames names = new ColumnNames();
    Constants constants = new Constants(specification, texts, literals);
    Scans scans = new Scans(specification, records);
    this.accessors = new Accessors(specification, definitions, texts, records, constants, scans, jobs);
    this.values = new Values(this, records, texts, names);
    this.expressions = new Expressions(specification, accessors, records, values, names, constants);
    this.plans = new Plans(specification, accessors, records, expressions, names, scans, budget);
  }

  /** The text of an event. */
  public String project(Object event) {
    accessors.begin(event);
    reference(event, 0);
    return records.end();
  }

  /** The number of the record of an object, which is written now if it has none yet. */
  public int reference(Object o, int depth) {
    Integer known = records.numberOf(o);
    if (known != null) return known.intValue();
    if (o instanceof LogicalPlan) return plans.plan((LogicalPlan) o, depth);
    if (o instanceof Expression) return expressions.expression((Expression) o, depth);
    Specification.Shape shape = specification.shape(o.getClass());
    StringBuilder fields = new StringBuilder();
    for (int i = 0; i < shape.accessors.size(); i++) {
      Specification.Accessor a = (Specification.Accessor) shape.accessors.get(i);
      if (i > 0) fields.append(',');
      values.value(accessors.read(o, a), a, fields, depth + 1);
    }
    int number = records.classNumber(shape);
    return records.add(o, new StringBuilder("[\"o\",").append(number).append(",[").append(fields).append("]]"));
  }
}
