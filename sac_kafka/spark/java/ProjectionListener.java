package sackafka;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates;

/**
 * Listens on its own queue of the listener bus. The bus thread only filters and hands over; a daemon thread projects
 * each event to text, which waits here until Python polls it. No live Spark object waits anywhere but in the hand-off.
 *
 * <p>A batch is text: one line per event, and lines of the listener itself, distinguished by their first element:
 * ["event", microseconds, records], ["marker", id], ["end"], ["stuck", stack], ["counters", {name: count}].
 */
public class ProjectionListener extends SparkListener {
  public static final String QUEUE = "sac-kafka";
  private static final int REPLACEMENTS = 3;
  private static final Object END = new Object();

  private final SparkContext context;
  private final Specification specification;
  private final ListenerSettings settings;
  private final Definitions definitions;
  private final Requests requests;
  private final Pythons pythons = new Pythons();
  private final Questions questions = new Questions();
  private final RddJobs rddJobs;
  private final Jobs jobs = new Jobs();

  private final HandOff handoff = new HandOff(); // bounded by waiting, markers always pass
  private final AtomicInteger waiting = new AtomicInteger();
  private final TextQueue texts;
  private final Counters counters = new Counters();
  private final MicroBatches batches; // of the projecting thread
  private final BatchEvents batchEvents;
  private final BusDrops drops;

  private volatile String owner;
  private volatile Object joined; // the listener of another Python, to which calls are passed
  private volatile boolean capturing = true;
  private volatile boolean ended = false;
  private volatile Projector projector;
  private int replaced = 0;

  public ProjectionListener(SparkContext context, byte[] specification, String settings) throws IOException {
    this.context = context;
    this.specification = new Specification(specification);
    this.settings = new ListenerSettings(settings);
    this.owner = this.settings.owner;
    this.drops = new BusDrops(context, QUEUE);
    this.rddJobs = new RddJobs(context, this.specification);
    this.requests = new Requests(context.version(), this.settings.jobKeys);
    this.definitions = new Definitions(this.settings.catalog);
    EventLine repeated = new RepeatedLine(this.specification, definitions, jobs, this.settings, counters);
    this.texts = new TextQueue(this.settings.queueEvents, this.settings.queueChars, repeated, owner);
    this.batches = new MicroBatches(texts, counters);
    this.batchEvents = new BatchEvents(this.specification, batches);
  }

  // ---- Python's side

  /** Starts to listen, and returns null; where another Python's listener is on the bus, only returns its owner. */
  public String start() throws Exception {
    synchronized (context.listenerBus()) { // two that start at once; the bus adds under the same lock
      Object other = listenerOfAnother();
      if (other != null) return ownerOf(other);
      startProjector();
      context.listenerBus().addToQueue(this, QUEUE);
      return null;
    }
  }

  /** Finds the listener of another Python, to which all later calls are passed; returns null without one of this version. */
  public String join() throws Exception {
    Object other = listenerOfAnother();
    if (other == null || !settings.version.equals(versionOf(other))) return null;
    joined = other;
    return ownerOf(other);
  }

  /**
   * Takes the place of the listener of another Python, which has ended. If both capture the same, that one goes on: the calls of
   * this Python are passed to it, all that was not confirmed is read again, and the answer is true. Otherwise it is detached, and
   * what was not read is counted.
   */
  public boolean takeOver(String ended) throws Exception {
    Object other = listenerOfAnother();
    if (other == null || !ownerOf(other).equals(ended)) return false;
    if (settings.kind.equals(asked(other, "kind"))) {
      Object isMine = call(other, "serve", new Class[] {String.class, String.class}, new Object[] {ended, owner});
      if (Boolean.TRUE.equals(isMine)) joined = other;
      return joined == other;
    }
    count("dropped: the Python that listened before has ended", ((Integer) asked(other, "unread")).intValue());
    asked(other, "detach");
    return false;
  }

  /**
   * Calls a method of the listener that is on the bus. Py4J must not see one of another Python: it finds the methods of an object by
   * the name of its class, and both have one name.
   */
  public Object call(String method) throws Exception {
    return passed(method, new Object[0]);
  }

  public Object call(String method, Object a) throws Exception {
    return passed(method, new Object[] {a});
  }

  public Object call(String method, Object a, Object b) throws Exception {
    return passed(method, new Object[] {a, b});
  }

  public Object call(String method, Object a, Object b, Object c) throws Exception {
    return passed(method, new Object[] {a, b, c});
  }

  private Object passed(String method, Object[] values) throws Exception {
    Object target = joined == null ? this : joined;
    Method[] all = target.getClass().getMethods();
    for (int i = 0; i < all.length; i++) {
      if (!all[i].getName().equals(method) || all[i].getParameterCount() != values.length) continue;
      try {
        return all[i].invoke(target, values);
      } catch (InvocationTargetException error) {
        if (error.getCause() instanceof Exception) throw (Exception) error.getCause();
        throw error;
      }
    }
    throw new NoSuchMethodException(method);
  }

  private Object listenerOfAnother() throws Exception {
    List known = context.listenerBus().listeners();
    for (int i = 0; i < known.size(); i++) {
      Object each = known.get(i); // each Python loads a separate class of this name
      if (each.getClass().getName().equals(getClass().getName()) && !ownerOf(each).equals(owner)) return each;
    }
    return null;
  }

  private static String ownerOf(Object listener) throws Exception {
    return (String) asked(listener, "owner");
  }

  private static Object versionOf(Object listener) throws Exception {
    try {
      return asked(listener, "version");
    } catch (NoSuchMethodException older) {
      return null;
    }
  }

  private static Object asked(Object listener, String method) throws Exception {
    return call(listener, method, new Class[0], new Object[0]);
  }

  private static Object call(Object listener, String method, Class[] types, Object[] values) throws Exception {
    return listener.getClass().getMethod(method, types).invoke(listener, values);
  }

  // ---- calls of Python that are passed on

  /** Goes on for another Python process; false if the one before has been replaced meanwhile. */
  public boolean serve(String before, String process) {
    synchronized (pythons) {
      if (!owner.equals(before)) return false;
      pythons.remove(before);
      owner = process;
      texts.restart(process, pythons.lines());
      return true;
    }
  }

  /** The Python process that serves leaves the others to their own: the first that takes over reads what was not confirmed. */
  public void release(String process) {
    serve(process, "");
  }

  /** Python has delivered, or kept, all it has read up to a number, except the lines with some numbers. */
  public void confirm(long upTo, String needed) {
    texts.confirm(upTo, needed);
  }

  /** How many events Python has not read, or not confirmed, and how many were dropped since it last read the counters. */
  public int unread() {
    return (ended ? 0 : waiting.get()) + texts.unread() + counters.unreported();
  }

  /** The Python process that reads the lines; empty if none does. */
  public String owner() {
    return owner;
  }

  /** Equal for listeners that capture the same. */
  public String kind() {
    return settings.kind;
  }

  /** Equal for listeners whose methods are the same. */
  public String version() {
    return settings.version;
  }

  /** A process has attached: what is known of it. */
  public void register(String process, String text) {
    texts.add(pythons.register(process, text));
  }

  /** A process has attached with a session, created or uses one; whether this thread's properties identify anybody. */
  public boolean own(Object session, String process) throws Exception {
    String properties = requests.identity(context);
    String line = pythons.add(session, process, properties);
    if (line != null) texts.add(line);
    return !properties.equals("{}");
  }

  /** A process that was served has detached; it may have been ended by an error or a signal. */
  public void part(String process, boolean hasFailed) {
    texts.add(pythons.part(process, hasFailed));
  }

  /** The processes that have attached, one per line. */
  public String processes() {
    return pythons.processes();
  }

  /** What the serving process has registered, empty if nothing; null once the text has ended. */
  public String server() {
    String text = pythons.textOf(owner);
    return ended ? null : text == null ? "" : text;
  }

  /** Puts a question to the process that serves, at once or behind all events posted so far; returns its number. */
  public long ask(String text, boolean isBehind) {
    long id = questions.begin();
    String line = Questions.line(id, text);
    if (isBehind) context.listenerBus().post(new FlushMarker(line));
    else texts.add(line);
    return id;
  }

  public String await(long question, long ms) throws Exception {
    return questions.await(question, ms);
  }

  public void endQuestion(long question) {
    questions.end(question);
  }

  public void answer(long question, String text) {
    questions.answer(question, text);
  }

  /** Stops to listen; what was handed over is still projected, then the text ends. */
  public void detach() {
    context.listenerBus().removeListener(this);
    owner = "";
    handOverAlways(END);
  }

  /** Posts a marker behind all events posted so far; it comes out of poll in its turn. */
  public void mark(long id) {
    context.listenerBus().post(new FlushMarker("[\"marker\"," + id + "]"));
  }

  /** Receives notes of a Python process and its queries about DataFrames. */
  public Object notes(String process) {
    return new Notes(context, specification, process);
  }

  /**
   * Returns pending lines to the Python process that this listener is for, up to about maxChars characters; waits at most ms for
   * the first; null if none arrives.
   */
  public String poll(long ms, int maxChars, String process) throws Exception {
    replaceStuck();
    StringBuilder batch = new StringBuilder();
    texts.drain(ms, maxChars, batch, process);
    if (!process.equals(owner) && batch.length() == 0) return null;
    if (batch.length() == 0 || ended) count("dropped: queue of the listener bus full", drops.more());
    String counted = counters.line();
    if (counted != null) TextQueue.append(counted, batch);
    return batch.length() == 0 ? null : batch.toString();
  }

  /** Ends the poll that waits, or else the next one. */
  public void wake() {
    texts.wake();
  }

  // ---- the bus thread: microseconds only

  public void onOtherEvent(SparkListenerEvent e) {
    if (e instanceof FlushMarker) handOverAlways(e);
    else if (e instanceof SparkListenerDriverAccumUpdates) jobs.counts.add((SparkListenerDriverAccumUpdates) e);
    else if (specification.wants(e.getClass())) handOver(e);
  }

  public void onJobStart(SparkListenerJobStart e) {
    jobs.started(e);
    if (requests.isNew(e)) handOver(e);
    RddJobStart writing = rddJobs.started(e);
    if (writing != null) handOver(writing);
  }

  public void onJobEnd(SparkListenerJobEnd e) {
    if (rddJobs.ended(e)) handOver(e);
  }

  private void handOver(Object e) {
    if (!capturing) count("dropped: capturing has stopped", 1);
    else if (waiting.get() >= settings.handoffEvents) count("dropped: hand-off full", 1);
    else {
      waiting.incrementAndGet();
      handoff.add(e);
    }
  }

  /** SparkContext.stop waits without limit for this queue: the projecting thread gets stopWaitNanos, not more. */
  public void onApplicationEnd(SparkListenerApplicationEnd e) {
    handOverAlways(END);
    long deadline = System.nanoTime() + settings.stopWaitNanos;
    synchronized (this) {
      try {
        while (!ended && projector != null) {
          long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
          if (left <= 0) break;
          wait(left);
        }
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    if (!ended) {
      capturing = false;
      count("dropped: not projected when the application ended", waiting.get());
      end();
      while (handoff.poll() != null) continue;
    }
  }

  // ---- the projecting thread

  /** One of them works; one that is stuck is abandoned: when it wakes it finds that its event is no longer its own. */
  private class Projector implements Runnable {
    final Masking masking;
    Thread thread;
    /** System.nanoTime of the start of the current event, 0 between events; who sets it to 0 settles the event. */
    final AtomicLong since = new AtomicLong();

    Projector(Masking masking) {
      this.masking = masking;
    }

    public void run() {
      try {
        while (projector == this) {
          Object e = handoff.take();
          if (e == null) continue;
          if (e == END) {
            if (projector == this) end();
            return;
          }
          if (e instanceof FlushMarker) sayMarker(e);
          else project(e);
        }
      } catch (InterruptedException stop) {
        return;
      }
    }

    private void project(Object e) {
      long started = System.nanoTime() | 1L;
      since.set(started);
      String line = null;
      RepeatedBatches figures = null;
      String failure = null;
      try {
        String ofSession = pythons.started(e);
        if (ofSession != null) texts.add(ofSession);
        figures = batchEvents.figures(e, masking);
        if (figures == null) line = line(e, masking);
        else figures.projectedIn((System.nanoTime() - started) / 1000);
      } catch (Throwable t) {
        failure = t.getClass().getName();
      }
      if (!since.compareAndSet(started, 0L)) return; // given up and counted meanwhile
      waiting.decrementAndGet();
      if (projector != this) return; // the application has ended, and it is counted with what was waiting then
      if (failure != null) count("dropped: projection failed: " + failure, 1);
      else if (figures != null) batches.say(figures);
      else say(e, line);
    }
  }

  String line(Object e, Masking masking) {
    long start = System.nanoTime();
    String records = projected(e, masking, settings.budget);
    if (records.length() > settings.queueChars / 2) {
      count("event without columns: too large", 1);
      records = projected(e, masking, 0);
    }
    return RepeatedLine.of((System.nanoTime() - start) / 1000, records);
  }

  private String projected(Object e, Masking masking, int budget) {
    return new Projection(specification, masking, definitions, jobs, settings.literals, settings.foreignKinds, budget).project(e);
  }

  /** Puts a line into the queue, or what it means for a micro-batch. */
  void say(Object e, String line) {
    try {
      batchEvents.add(e, line);
    } catch (Throwable t) {
      count("dropped: micro-batch not followed: " + t.getClass().getName(), 1);
    }
  }

  void sayMarker(Object marker) {
    texts.add(((FlushMarker) marker).line);
  }

  // Janino's calls from inner classes pass by the modifier synchronized of a private method: blocks instead, everywhere.
  void end() {
    synchronized (this) {
      if (ended) return;
      ended = true;
      if (projector != null) projector.masking.abandon();
      projector = null;
      texts.add("[\"end\"]");
      notifyAll();
    }
  }

  private void startProjector() {
    Projector p = new Projector(new Masking(settings.redactKeys, settings.redactValues));
    p.thread = new Thread(null, p, QUEUE + "-projector", settings.stackBytes);
    p.thread.setDaemon(true);
    projector = p;
    p.thread.start();
  }

  /** Called by every poll, so that a thread that never returns costs one event, not the capture. */
  private void replaceStuck() {
    synchronized (this) {
      replaceIfStuck();
    }
  }

  private void replaceIfStuck() {
    Projector p = projector;
    long since = p == null ? 0L : p.since.get();
    if (since == 0L || System.nanoTime() - since < settings.stuckNanos) return;
    StackTraceElement[] stack = p.thread.getStackTrace();
    if (!p.since.compareAndSet(since, 0L)) return; // it came back just now
    p.masking.abandon();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < Math.min(stack.length, 40); i++) text.append(i == 0 ? "" : " < ").append(stack[i]);
    texts.add("[\"stuck\",\"" + text.toString().replace('\\', '/').replace('"', '\'') + "\"]");
    waiting.decrementAndGet();
    count("dropped: projection stuck", 1);
    if (replaced++ < REPLACEMENTS) startProjector();
    else {
      capturing = false;
      projector = null;
      count("dropped: capturing has stopped", waiting.getAndSet(0));
      for (Object e = handoff.poll(); e != null; e = handoff.poll()) passBy(e);
    }
  }

  /** Emits markers and the end at once if projecting has stopped. */
  private void passBy(Object e) {
    if (e instanceof FlushMarker) sayMarker(e);
    else if (e == END) end();
  }

  /** Hands over a marker or the end, which pass every bound. */
  private void handOverAlways(Object e) {
    synchronized (this) {
      if (projector == null) passBy(e);
      else handoff.add(e);
    }
  }

  // ---- counters

  void count(String what, int n) {
    counters.count(what, n);
  }
}
