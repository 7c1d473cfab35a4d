package sackafka.launching;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A SparkContext that Python is to attach to; its creator waits meanwhile. */
public final class Visit {
  private final Object context;
  private final CountDownLatch done = new CountDownLatch(1);

  Visit(Object context) {
    this.context = context;
  }

  /** The SparkContext. */
  public Object context() {
    return context;
  }

  /** Called by Python: lets the creator continue. */
  public void done() {
    done.countDown();
  }

  boolean isDone() {
    return done.getCount() == 0;
  }

  void await(long ms) throws InterruptedException {
    done.await(ms, TimeUnit.MILLISECONDS);
  }
}
