package sackafka.launching;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;

/**
 * Runs a main in this JVM, in a separate thread whose class loader has the hook's listener, and reports to Python each
 * SparkContext that it makes. Python calls `run` in one thread and `next` in another.
 */
public class Launch {
  private static final long NOBODY_MS = 30000; // of a driver that stands still for a while Python comes later
  private static final int NO_CLASS = 101; // as spark-submit says it
  static volatile Launch current;

  private final LinkedTransferQueue visits = new LinkedTransferQueue();
  private final CountDownLatch left = new CountDownLatch(1);
  private volatile long attachMs = 60000L;
  private volatile long holdMs = 0L;
  private volatile Object held;
  private volatile boolean leaving = false;
  private Object seen = null;
  private int status = 0;

  public Launch() {
    current = this;
    Runtime.getRuntime().addShutdownHook(new Thread(new Holder(), "sac-kafka-hold"));
  }

  // ---- Python's side

  /** Returns a context to attach to, null if none arrives within ms; includes one that was created without the listener. */
  public Object next(long ms) throws InterruptedException {
    Visit visit = (Visit) visits.poll(ms, TimeUnit.MILLISECONDS);
    if (visit == null) visit = unseen();
    if (visit != null) seen = visit.context();
    return visit;
  }

  /** Whether the JVM is about to end. */
  public boolean isLeaving() {
    return leaving;
  }

  /** From now on the JVM waits so long, when it ends, for Python to have delivered what a listener has. */
  public void hold(long ms, Object listener) {
    holdMs = ms;
    held = listener;
  }

  /** Python has delivered everything. */
  public void left() {
    left.countDown();
  }

  /** Runs the main and returns the exit status, once it has returned and no non-daemon thread of it is left. */
  public int run(String name, String[] arguments) throws InterruptedException {
    ThreadGroup group = new ThreadGroup("main");
    Thread thread = new Thread(group, new Main(name, arguments), "main");
    thread.setContextClassLoader(getClass().getClassLoader());
    thread.start();
    thread.join();
    while (status == 0 && isKept(group)) Thread.sleep(100L);
    return status;
  }

  private static boolean isKept(ThreadGroup group) {
    Thread[] threads = new Thread[group.activeCount() + 16];
    int count = group.enumerate(threads, true);
    for (int i = 0; i < count; i++) if (threads[i].isAlive() && !threads[i].isDaemon()) return true;
    return false;
  }

  // ---- the main

  private class Main implements Runnable {
    private final String name;
    private final String[] arguments;

    Main(String name, String[] arguments) {
      this.name = name;
      this.arguments = arguments;
    }

    public void run() {
      status = main(name, arguments);
    }
  }

  int main(String name, String[] arguments) {
    Method main;
    try {
      main = Class.forName(name, false, Thread.currentThread().getContextClassLoader())
          .getMethod("main", new Class[] {String[].class});
    } catch (ClassNotFoundException e) {
      System.err.println("Error: Failed to load class " + Log.escaped(name) + ".");
      return NO_CLASS;
    } catch (Exception e) {
      System.err.println("Error: " + Log.escaped(name + " has no public main(String[]): " + e));
      return 1;
    }
    if (!Modifier.isStatic(main.getModifiers())) {
      System.err.println("Error: the main of " + Log.escaped(name) + " is not static.");
      return 1;
    }
    try {
      main.invoke(null, new Object[] {arguments});
      return 0;
    } catch (InvocationTargetException e) {
      show(e.getCause(), name);
    } catch (Throwable e) {
      show(e, name);
    }
    return 1;
  }

  /** Shows an error as a JVM does whose main it ends, without the frames that have called main. */
  private static void show(Throwable error, String name) {
    StackTraceElement[] stack = error.getStackTrace();
    for (int i = stack.length - 1; i >= 0; i--) {
      if (stack[i].getClassName().equals(name) && stack[i].getMethodName().equals("main")) {
        error.setStackTrace((StackTraceElement[]) Arrays.copyOf(stack, i + 1));
        break;
      }
    }
    System.err.print("Exception in thread \"main\" ");
    error.printStackTrace();
  }

  // ---- contexts

  /** Called while a context is created: waits until Python is attached to it, or cannot attach. */
  void made(Object context) throws InterruptedException {
    Visit visit = new Visit(context);
    if (context != null && visits.tryTransfer(visit, NOBODY_MS, TimeUnit.MILLISECONDS)) visit.await(attachMs);
  }

  /** The active context, if it was created without the listener, for example with a new configuration. */
  private Visit unseen() {
    try {
      Object active = Contexts.active();
      return active == null || active == seen ? null : new Visit(active);
    } catch (Throwable e) {
      return null;
    }
  }

  // ---- the end

  private class Holder implements Runnable {
    public void run() {
      leaving = true;
      try {
        if (!left.await(holdMs, TimeUnit.MILLISECONDS)) UnreadEvents.warn(held);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
