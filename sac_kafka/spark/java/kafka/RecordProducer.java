package sackafka.kafka;

import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * Sends records with a separate KafkaProducer, in order, from a separate thread: making the producer waits for
 * Kerberos, and sending waits for the topic's leader.
 *
 * <p>A record that the producer does not take because it has waited in vain is handed over again, until the owner
 * closes. One that it refuses fails. After a refused login all records fail without another attempt.
 */
public class RecordProducer extends Thread {
  private static final int MAX_WAITING = 4096;
  private static final int LOOK_MS = 250;
  private static final long QUIET_MS = 2000; // without an answer, before the way to the broker is looked at
  private static final long SILENT_MS = 4000; // connected, but not answered: a log-in may take as long as this
  private static final long LOGIN_MS = 1000; // unanswered after a refused log-in, in which another broker may answer
  private static final long TOPIC_MS = 10000; // until a topic that the broker does not know counts as missing

  private static final String[] CLOSED = {"IllegalStateException", "the producer is closed"};
  private static final String[] FULL = {"BufferExhaustedException", MAX_WAITING + " records wait already"};

  private final Properties properties;
  private final ArrayBlockingQueue waiting = new ArrayBlockingQueue(MAX_WAITING);
  private final Reports reports = new Reports();
  private final AtomicInteger underWay = new AtomicInteger();
  private final ClusterSerializer serializer = new ClusterSerializer();
  private volatile boolean isClosing;
  private volatile long heardAt = now();
  private volatile String[] broken; // name and text: what ended the producer
  private KafkaProducer producer; // this thread's, as all below
  private Connections connections;
  private long lookedAt;
  private double failedLogins; // when a broker last answered
  private long noticedAt = now() - QUIET_MS;
  private long throttledAt;

  public RecordProducer(Properties properties, ClassLoader loader) {
    super("sac-kafka-producer");
    this.properties = properties;
    setDaemon(true);
    setContextClassLoader(loader); // Kafka looks there for the classes that properties name
  }

  /** The version of Kafka's client. */
  public static String version() {
    return AppInfoParser.getVersion();
  }

  // ---- called by Python

  /** Takes a record without waiting. */
  public void produce(long number, String topic, byte[] key, byte[] value) {
    String[] reason = isClosing ? CLOSED : broken;
    if (reason == null) {
      Waiting next = new Waiting(number, topic, key, value);
      if (!waiting.offer(next)) reason = FULL;
      else if (!isAlive() && waiting.remove(next)) reason = broken; // it has ended in between
    }
    if (reason != null) reports.failed(number, reason[0], reason[1]);
  }

  /** What has happened: see Reports. */
  public String poll(long ms) throws InterruptedException {
    return reports.drain(ms);
  }

  /** The id of the cluster, null before a broker has answered. */
  public String clusterId() {
    return serializer.clusterId();
  }

  /** Closes everything and waits for this at most ms; records in flight may or may not arrive. */
  public void close(long ms) throws InterruptedException {
    isClosing = true;
    interrupt();
    if (ms > 0) join(ms);
  }

  // ---- called by the producer's own thread

  void completed(long number, RecordMetadata metadata, Exception error) {
    underWay.decrementAndGet();
    heardAt = now();
    if (error == null) {
      reports.delivered(number, metadata.partition(), metadata.hasOffset() ? metadata.offset() : -1);
      return;
    }
    String[] reason = broken; // a producer that was ended says only that it was
    if (reason == null) reports.failed(number, Errors.name(error), Errors.text(error));
    else reports.failed(number, reason[0], reason[1]);
  }

  // ---- this thread

  public void run() {
    Waiting next = null;
    try {
      while (!isClosing) {
        next = (Waiting) waiting.poll(LOOK_MS, TimeUnit.MILLISECONDS);
        if (next != null) handOver(next);
        if (producer != null && now() - lookedAt >= LOOK_MS) look();
      }
    } catch (InterruptedException e) {
      // somebody closes
    } catch (Throwable e) {
      end(Errors.name(e), Errors.text(e));
      if (next != null) fail(next);
    } finally {
      if (broken == null) broken = CLOSED;
      close();
      next = (Waiting) waiting.poll();
      while (next != null) {
        fail(next);
        next = (Waiting) waiting.poll();
      }
    }
  }

  private void handOver(Waiting next) throws InterruptedException {
    long silentSince = now();
    long unknownSince = now();
    while (!isClosing && broken == null) {
      if (producer == null && !open()) continue;
      underWay.incrementAndGet();
      ProducerRecord record = new ProducerRecord(next.topic, next.key, next.value);
      Exception refusal = new Handover(this, next.number).send(producer, record);
      if (refusal == null) return;
      underWay.decrementAndGet();
      if (isClosing) break;
      boolean isAnswered = connections.isAnswered();
      // Old clients do not say why they have waited: where answers came, it was for a topic that no broker knows.
      boolean isUnknown = Errors.isUnknownTopic(refusal) || isAnswered && refusal.getCause() == null;
      if (isAnswered) silentSince = now();
      if (!isUnknown) unknownSince = now();
      boolean isMissing = now() - unknownSince >= TOPIC_MS && underWay.get() == 0;
      if (Errors.isLogin(refusal)) end(Errors.name(refusal), Errors.text(refusal));
      else if (!Errors.isWait(refusal) || isMissing) {
        String name = isMissing ? "UnknownTopicOrPartitionException" : Errors.name(refusal);
        reports.failed(next.number, name, Errors.text(refusal));
        return;
      } else if (!isUnknown && isAnswered) reports.noticed(Errors.name(refusal), Errors.text(refusal));
      else if (!isUnknown) notice(now() - silentSince);
    }
    fail(next);
  }

  /** Makes the producer; false where it could not be made. Names that are not known are tried again later. */
  private boolean open() throws InterruptedException {
    Throwable error = null;
    try {
      heardAt = now();
      producer = new KafkaProducer(properties, serializer, serializer);
      connections = new Connections(producer, properties.getProperty("bootstrap.servers", ""));
    } catch (Exception e) {
      error = e;
    } catch (LinkageError e) { // a class that is missing, or of another version
      error = e;
    }
    if (error == null) return true;
    if (!Errors.isUnresolved(error)) end(Errors.name(error), Errors.text(error));
    else {
      reports.noticed("UnknownHostException", Errors.text(error));
      Thread.sleep(QUIET_MS);
    }
    return false;
  }

  /** Monitors records in flight: the producer does not report that no broker answers, or that a later login is refused. */
  private void look() {
    lookedAt = now();
    boolean isAnswered = connections.isAnswered();
    if (isAnswered || underWay.get() == 0) {
      heardAt = now();
      failedLogins = connections.failedLogins();
    } else if (connections.failedLogins() > failedLogins && now() - heardAt >= LOGIN_MS) {
      boolean isSasl = properties.getProperty("security.protocol", "").toUpperCase().startsWith("SASL_");
      String how = isSasl ? properties.getProperty("sasl.mechanism", "GSSAPI") : "TLS";
      String name = isSasl ? "SaslAuthenticationException" : "SslAuthenticationException";
      end(name, how + ": the login of a new connection has failed");
      return;
    } else if (now() - heardAt >= QUIET_MS) {
      notice(now() - heardAt);
    }
    double throttled = connections.throttled();
    if (throttled > 0 && now() - throttledAt >= TOPIC_MS) {
      throttledAt = now();
      reports.throttled(throttled);
    }
  }

  /** Tells why no broker answers; that one takes connections and no more only after a while. */
  private void notice(long silentMs) {
    if (now() - noticedAt < QUIET_MS) return;
    noticedAt = now();
    String[] failure = connections.unreachable();
    if (failure != null) reports.noticed(failure[0], failure[1]);
    else if (silentMs >= SILENT_MS) {
      String servers = properties.getProperty("bootstrap.servers", "");
      boolean isKnown = connections != null && connections.hasAnswered();
      String how = isKnown ? ": request timed out" : ": takes connections, but does not answer as a Kafka broker";
      reports.noticed("DisconnectException", servers + how);
    }
  }

  /** Ends the producer for good; all records in flight and all later ones fail with this reason. */
  private void end(String name, String text) {
    if (broken == null) broken = new String[] {name, text};
    close();
  }

  private void fail(Waiting next) {
    String[] reason = broken == null ? CLOSED : broken;
    reports.failed(next.number, reason[0], reason[1]);
  }

  private void close() {
    KafkaProducer last = producer;
    producer = null;
    if (last == null) return;
    Thread.interrupted(); // closing would give up at once
    try {
      last.close(Duration.ZERO);
    } catch (RuntimeException e) {
      reports.noticed(Errors.name(e), Errors.text(e));
    }
  }

  private static long now() {
    return System.nanoTime() / 1000000;
  }
}
