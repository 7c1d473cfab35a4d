package sackafka.launching;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A SparkContext that Python is to attach to; who makes it waits meanwhile. */
public class Visit {
  private final Object context;
  private final CountDownLatch done = new CountDownLatch(1);

  Visit(Object context) {
    this.context = context;
  }

  /** The SparkContext. */
  public Object context() {
    return context;
  }

  /** Lets it go on. */
  public void done() {
    done.countDown();
  }

  void await(long ms) throws InterruptedException {
    done.await(ms, TimeUnit.MILLISECONDS);
  }
}
