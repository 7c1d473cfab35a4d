package sackafka.kafka;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.Iterator;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * The state of the producer's connections. The producer itself reports it only to its log, so its own counters are read, and
 * where no broker answers the addresses are tried.
 */
public class Connections {
  private static final int CONNECT_MS = 1000;

  private final Metric answers;
  private final Metric failedLogins;
  private final Metric throttling;
  private final String[] servers;
  private double answersSeen;

  public Connections(KafkaProducer producer, String servers) {
    Map metrics = producer.metrics();
    this.answers = find(metrics, "response-total");
    this.failedLogins = find(metrics, "failed-authentication-total");
    this.throttling = find(metrics, "produce-throttle-time-avg");
    this.servers = servers.split(",");
  }

  /** Whether a broker has answered anything since the last time that this was asked. */
  public boolean isAnswered() {
    double now = value(answers);
    boolean grown = now > answersSeen;
    answersSeen = now;
    return grown;
  }

  /** Whether a broker has ever answered: then it is one. */
  public boolean hasAnswered() {
    return value(answers) > 0;
  }

  /** How many times a broker has refused the log-in, or its certificate was refused. */
  public double failedLogins() {
    return value(failedLogins);
  }

  /** For how many seconds the broker has delayed its answers of late, on average. */
  public double throttled() {
    return value(throttling) / 1000;
  }

  /**
   * Why no broker can be reached: a name and a text; null where one of them takes connections. Takes up to a second for
   * each server, at most three.
   */
  public String[] unreachable() {
    String[] first = null;
    for (int i = 0; i < servers.length && i < 3; i++) {
      String[] failure = tried(servers[i].trim());
      if (failure == null) return null;
      if (first == null) first = failure;
    }
    return first;
  }

  /** Why a server cannot be reached, null where it takes connections. No return in here: Janino miscompiles it in a try. */
  private static String[] tried(String server) {
    String[] failure = null;
    Socket socket = new Socket();
    try {
      socket.connect(address(server), CONNECT_MS);
    } catch (Exception e) {
      failure = new String[] {Errors.name(e), server + ": " + Errors.text(e)};
    }
    try {
      socket.close();
    } catch (IOException ignored) {
      // it was only to be tried
    }
    return failure;
  }

  private static InetSocketAddress address(String server) throws UnknownHostException {
    int scheme = server.indexOf("//");
    int colon = server.lastIndexOf(':');
    String host = server.substring(scheme < 0 ? 0 : scheme + 2, colon).replace("[", "").replace("]", "");
    InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(server.substring(colon + 1)));
    if (address.isUnresolved()) throw new UnknownHostException("the name is not known");
    return address;
  }

  private static Metric find(Map metrics, String name) {
    Iterator entries = metrics.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry entry = (Map.Entry) entries.next();
      MetricName found = (MetricName) entry.getKey();
      if (name.equals(found.name()) && "producer-metrics".equals(found.group())) return (Metric) entry.getValue();
    }
    return null;
  }

  private static double value(Metric metric) {
    Object value = metric == null ? null : metric.metricValue();
    double number = value instanceof Number ? ((Number) value).doubleValue() : 0;
    return Double.isNaN(number) ? 0 : number;
  }
}
