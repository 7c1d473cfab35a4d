package com.acme.named;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/** A node of a connector without children; the optimizer puts the plan that it holds in its place. */
abstract class Node extends LogicalPlan {
  final LogicalPlan rows;

  Node(LogicalPlan rows) {
    this.rows = rows;
  }

  @Override
  public scala.collection.immutable.Seq output() {
    return rows.output().toList();
  }

  @Override
  public scala.collection.immutable.Seq children() {
    return scala.collection.immutable.Nil$.MODULE$;
  }

  public LogicalPlan withNewChildrenInternal(scala.collection.IndexedSeq children) {
    return this;
  }

  public LogicalPlan withNewChildrenInternal(scala.collection.immutable.IndexedSeq children) {
    return this;
  }

  @Override
  public LogicalPlan clone() {
    return this;
  }

  @Override
  public LogicalPlan makeCopy(Object[] arguments) {
    return this;
  }

  @Override
  public Object productElement(int n) {
    return rows;
  }

  @Override
  public int productArity() {
    return 1;
  }

  @Override
  public boolean canEqual(Object that) {
    return that instanceof Node;
  }

  /** The rule that does so. */
  public static class Unwrapping extends Rule<LogicalPlan> {
    @Override
    public LogicalPlan apply(LogicalPlan plan) {
      return plan.transformDown(
          new scala.runtime.AbstractPartialFunction<LogicalPlan, LogicalPlan>() {
            @Override
            public boolean isDefinedAt(LogicalPlan p) {
              return p instanceof Node;
            }

            @Override
            public LogicalPlan apply(LogicalPlan p) {
              return ((Node) p).rows;
            }
          });
    }
  }
}
