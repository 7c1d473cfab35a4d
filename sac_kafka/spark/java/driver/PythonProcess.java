package sackafka.driver;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import org.apache.spark.SparkConf;
import py4j.CallbackClient;
import py4j.GatewayServer;

/**
 * The Python process that serves a driver which started none: at most one per JVM, started with the first SparkContext.
 *
 * <p>It connects through Py4J, with a secret; its entry point is a `Link`, a new one for each start. Its standard input is a pipe, never
 * written to, which closes when this JVM ends, however it ends, and then the process ends. If the process ends first it is started
 * once more; then the job continues without lineage. All threads here are daemons.
 */
public final class PythonProcess {
  /** Python puts the working directory first: what lies there is not imported. PYTHONSAFEPATH is unknown to Python 3.10. */
  private static final String CODE =
      "import sys; sys.path[:] = [p for p in sys.path if p]; from sac_kafka.launch.serving import main; main()";
  private static final String PYTHON = "spark.atlas.hook.spark.python";
  private static final String TIMEOUT = "spark.atlas.hook.spark.attach.timeout.seconds";
  private static final int MIN_SECONDS = 1;
  private static final int MAX_SECONDS = 600;
  private static final int DEFAULT_SECONDS = 30;
  private static final int UNFIT = 3; // the last line has the fix
  private static final int MAX_STARTS = 2;
  private static final int MAX_LINES = 50;
  private static final int MAX_SHOWN = 80;
  private static final long PAUSE_MS = 20L;
  private static final long EXIT_MS = 2000L;
  private static PythonProcess one;

  private final SparkConf conf;
  private final String python;
  private final long attachMs;
  private final CountDownLatch left = new CountDownLatch(1);
  private final Deque<String> lines = new ArrayDeque<String>();
  private volatile Process process;
  private volatile boolean isAttached = false;
  private volatile boolean isLeaving = false;
  private boolean isTimeoutWrong = false;
  private volatile boolean isOff = false;
  private volatile long holdMs = 0L;
  private volatile Object held;
  private volatile Link link;
  private volatile Visit pending;
  private int starts = 0;

  private PythonProcess(SparkConf conf) {
    this.conf = conf;
    this.python = pythonOf(conf);
    this.attachMs = (long) (1000 * attachSeconds());
    Runtime.getRuntime().addShutdownHook(new Thread(this::leave, "sac-kafka-hold"));
  }

  static synchronized PythonProcess of(SparkConf conf) {
    if (one == null) one = new PythonProcess(conf);
    return one;
  }

  static void warn(String why) {
    Log.warn("not attached, the job runs on without lineage: " + why);
  }

  // ---- the thread that creates a SparkContext

  /** Waits until Python has attached the hook to a context, or cannot. */
  void attach(Object context) throws Exception {
    if (isOff || context == null) return;
    long deadline = System.nanoTime() + attachMs * 1000000L;
    Visit visit = new Visit(context);
    synchronized (this) {
      pending = visit;
      if (process != null) link.visits.add(visit);
      else if (!start(visit)) return;
    }
    while (!visit.isDone() && !isOff && System.nanoTime() < deadline) visit.await(PAUSE_MS);
    if (visit.isDone() || isOff) return;
    isOff = true;
    process.destroyForcibly();
    warn(python + " did not attach within " + attachMs / 1000 + " s (" + TIMEOUT + ")");
    UnreadEvents.warn(held);
  }

  // ---- Python's side

  /** What one Python process calls; a call of a process that was killed must not take what its successor needs. */
  public final class Link {
    private final LinkedBlockingQueue<Visit> visits = new LinkedBlockingQueue<Visit>();
    private Object seen = null;

    /** Returns a context to attach to, also one that was created without the listener; null if none arrives within ms. */
    public Visit next(long ms) throws Exception {
      Visit visit = visits.poll(ms, TimeUnit.MILLISECONDS);
      Object active = visit == null ? Contexts.active() : null;
      if (active != null && active != seen) visit = new Visit(active);
      if (visit != null) seen = visit.context();
      return visit;
    }

    /** Python is attached: what it writes to standard error is shown, and at its end the JVM waits so long for it to deliver what a listener has. */
    public void hold(long ms, Object listener) {
      holdMs = ms;
      held = listener;
      isAttached = true;
      synchronized (lines) {
        for (String line : lines) System.err.println(Log.escaped(line));
        lines.clear();
      }
    }

    /** Returns the timeout of attaching in seconds that replaces a wrong one of Spark's configuration, 0 if that is right. */
    public int attachSeconds() {
      return isTimeoutWrong ? DEFAULT_SECONDS : 0;
    }

    /** Whether the JVM is about to end. */
    public boolean isLeaving() {
      return isLeaving;
    }

    /** Python has delivered everything. */
    public void left() {
      left.countDown();
    }
  }

  // ---- the process

  private synchronized boolean start(Visit first) {
    starts++;
    link = new Link();
    link.visits.add(first);
    try {
      GatewayServer server = serve();
      ProcessBuilder builder = new ProcessBuilder(python, "-c", CODE);
      Map<String, String> environment = builder.environment();
      environment.put("PYSPARK_GATEWAY_PORT", String.valueOf(server.getListeningPort()));
      environment.put("PYSPARK_GATEWAY_SECRET", secret);
      environment.put("PYSPARK_PIN_THREAD", "false"); // the gateway is Py4J's with a thread per connection
      environment.put("PYTHONSAFEPATH", "1");
      putPath(environment);
      environment.put("SAC_KAFKA_AUTO", "0");
      if (!environment.containsKey("SPARK_HOME")) putHome(environment);
      builder.redirectErrorStream(true);
      process = builder.start();
    } catch (IOException error) {
      isOff = true;
      warn(python + " cannot be started: " + error.getMessage() + "; " + fix());
      return false;
    } catch (Exception error) {
      isOff = true;
      warn(error.toString());
      return false;
    }
    daemon("sac-kafka-python", this::watch);
    return true;
  }

  private String secret;

  private GatewayServer serve() throws Exception {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    StringBuilder text = new StringBuilder();
    for (byte each : bytes) text.append(String.format("%02x", each));
    secret = text.toString();
    InetAddress here = InetAddress.getByName("127.0.0.1"); // where PySpark looks for a gateway
    // No call goes to Python. A client that drops idle connections (the default) has a thread that keeps the JVM alive.
    CallbackClient unused = new CallbackClient(
        GatewayServer.DEFAULT_PYTHON_PORT, here, secret, 0L, TimeUnit.SECONDS, SocketFactory.getDefault(), false, 0);
    final GatewayServer server = new GatewayServer.GatewayServerBuilder(link)
        .serverSocketFactory(Entrance.factory(secret)).javaAddress(here).javaPort(0).callbackClient(unused).build();
    // The threads of the server are daemons if the one that starts it is.
    daemon("sac-kafka-gateway", server::start).join();
    return server;
  }

  /** Reads what the process writes; before it is attached the last lines are kept, in case it fails. */
  private void watch() {
    Process watched = process;
    try {
      BufferedReader reader = new BufferedReader(new InputStreamReader(watched.getInputStream(), StandardCharsets.UTF_8));
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (isAttached) {
          System.err.println(Log.escaped(line));
          continue;
        }
        synchronized (lines) {
          lines.add(line);
          if (lines.size() > MAX_LINES) lines.removeFirst();
        }
      }
      ended(watched.waitFor());
    } catch (Exception error) {
      if (!isLeaving && !isOff) warn(error.toString());
    }
  }

  private void ended(int status) throws Exception {
    if (isLeaving || isOff) return;
    if (!isAttached) {
      String last;
      synchronized (lines) {
        last = lines.isEmpty() ? "" : ": " + lines.getLast();
      }
      isOff = true;
      warn(python + " ended with status " + status + last + (status == UNFIT ? "" : "; " + fix()));
      return;
    }
    synchronized (this) {
      Object active = Contexts.active();
      boolean isAwaited = pending != null && !pending.isDone();
      if (active == null && !isAwaited) {
        process = null; // started again for the next context
      } else if (starts < MAX_STARTS) {
        Log.warn(python + " ended with status " + status + ", starting it again");
        start(isAwaited ? pending : new Visit(active));
      } else {
        isOff = true;
        warn(python + " ended again, with status " + status);
      }
    }
  }

  /** Runs when the JVM ends: waits for Python to deliver everything, and ends it. */
  private void leave() {
    isLeaving = true;
    Process last = process;
    if (last == null) return;
    try {
      long deadline = System.nanoTime() + holdMs * 1000000L;
      while (last.isAlive() && System.nanoTime() < deadline && !left.await(PAUSE_MS, TimeUnit.MILLISECONDS)) continue;
      if (left.getCount() > 0) UnreadEvents.warn(held);
      if (isAttached) last.waitFor(EXIT_MS, TimeUnit.MILLISECONDS);
      last.destroyForcibly();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- where it is found

  private static String pythonOf(SparkConf conf) {
    String environment = System.getenv("PYSPARK_PYTHON");
    String last = environment == null || environment.isEmpty() ? "python3" : environment;
    return conf.get(PYTHON, conf.get("spark.pyspark.driver.python", conf.get("spark.pyspark.python", last)));
  }

  /** The setting, or its default after a warning. */
  private double attachSeconds() {
    String text = conf.get(TIMEOUT, "").trim();
    double seconds = Double.NaN;
    try {
      seconds = text.isEmpty() ? DEFAULT_SECONDS : Double.parseDouble(text);
    } catch (NumberFormatException error) {
      // It is wrong.
    }
    if (seconds >= MIN_SECONDS && seconds <= MAX_SECONDS) return seconds;
    isTimeoutWrong = true;
    String shown = text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
    Log.warn(TIMEOUT + " = " + shown + ": must be from " + MIN_SECONDS + " to " + MAX_SECONDS + " seconds; " + DEFAULT_SECONDS + " is used");
    return DEFAULT_SECONDS;
  }

  /** PYTHONPATH without the working directory, which an empty entry means: Python would import what lies there. */
  private static void putPath(Map<String, String> environment) throws IOException {
    String path = environment.get("PYTHONPATH");
    if (path == null) return;
    File here = new File("").getCanonicalFile();
    StringBuilder kept = new StringBuilder();
    for (String entry : path.split(File.pathSeparator)) {
      if (entry.isEmpty() || new File(entry).getCanonicalFile().equals(here)) continue;
      kept.append(kept.length() == 0 ? "" : File.pathSeparator).append(new File(entry).getAbsolutePath());
    }
    if (kept.length() == 0) environment.remove("PYTHONPATH");
    else environment.put("PYTHONPATH", kept.toString());
  }

  private static String fix() {
    return "install sac-kafka in that Python (3.10 or newer), or name another one with --conf " + PYTHON + "=PATH";
  }

  /** PySpark is in SPARK_HOME/python, Spark's jars are in SPARK_HOME/jars. */
  private static void putHome(Map<String, String> environment) throws Exception {
    File jar = new File(SparkConf.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    File home = jar.getParentFile() == null ? null : jar.getParentFile().getParentFile();
    if (home != null && new File(home, "python").isDirectory()) environment.put("SPARK_HOME", home.getPath());
  }

  private static Thread daemon(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
