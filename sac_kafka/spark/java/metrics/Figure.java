package sackafka.metrics;

import com.codahale.metrics.Gauge;

/** A number that Python sets; reading it never calls Python. */
public class Figure implements Gauge {
  private volatile Object number = Long.valueOf(0L);

  public Object getValue() {
    return number;
  }

  /** Takes a number as text: with a point or an exponent it is a double, else a long. */
  public void set(String text) {
    boolean isWhole = text.indexOf('.') < 0 && text.indexOf('e') < 0;
    number = isWhole ? (Object) Long.valueOf(text) : (Object) Double.valueOf(text);
  }
}
