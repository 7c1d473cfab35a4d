package sackafka.driver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import javax.net.ServerSocketFactory;

/**
 * The port of Py4J's gateway, which only those pass who know the secret. Everybody on this machine may connect: what comes
 * before the secret takes no thread and a few bytes, from a bounded number of connections and for a bounded time.
 *
 * <p>Py4J's server logs in its clients itself, but reads lines of any length before, with a thread for each connection.
 * Therefore `accept` returns only connections that are logged in.
 */
final class Entrance extends ServerSocket {
  private static final int MAX_WAITING = 64;
  private static final long WAIT_NANOS = 10L * 1000000000L;
  private static final long PAUSE_MS = 100L;
  private static final int BACKLOG = 128;
  private static final byte[] YES = "!yv\n".getBytes(StandardCharsets.US_ASCII); // Py4J's answer to a log-in

  private final byte[] login;
  private final ServerSocketChannel server = ServerSocketChannel.open();
  private final Selector selector = Selector.open();
  private final Deque<Visitor> waiting = new ArrayDeque<Visitor>(); // the first one has waited longest
  private final Deque<Socket> passed = new ArrayDeque<Socket>();

  private Entrance(String secret) throws IOException {
    super();
    login = ("A\n" + secret + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** A factory of entrances for Py4J's server, which binds them. */
  static ServerSocketFactory factory(final String secret) {
    return new ServerSocketFactory() {
      public ServerSocket createServerSocket() throws IOException {
        return new Entrance(secret);
      }

      public ServerSocket createServerSocket(int port) throws IOException {
        throw new SocketException("an entrance is bound later");
      }

      public ServerSocket createServerSocket(int port, int backlog) throws IOException {
        return createServerSocket(port);
      }

      public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
        return createServerSocket(port);
      }
    };
  }

  // ---- what Py4J's server uses of a ServerSocket

  public void bind(SocketAddress address, int backlog) throws IOException {
    server.bind(address, BACKLOG);
    server.configureBlocking(false);
    server.register(selector, SelectionKey.OP_ACCEPT);
  }

  public boolean isBound() {
    return getLocalPort() > 0;
  }

  public int getLocalPort() {
    try {
      InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
      return address == null ? -1 : address.getPort();
    } catch (IOException closed) {
      return -1;
    }
  }

  public void setSoTimeout(int timeout) {}

  public void setReuseAddress(boolean isReused) {}

  public boolean isClosed() {
    return !server.isOpen();
  }

  public void close() throws IOException {
    server.close();
    selector.close();
  }

  /** Returns the next connection that has sent the secret; it is answered. Fails only once this is closed. */
  public Socket accept() throws IOException {
    while (passed.isEmpty()) {
      if (isClosed()) throw new SocketException("Socket closed");
      try {
        selector.select(waiting.isEmpty() ? 0L : 1000L);
        Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
        while (ready.hasNext()) {
          SelectionKey key = ready.next();
          ready.remove();
          Visitor visitor = key.attachment() == null ? enter() : (Visitor) key.attachment();
          if (visitor != null) listen(visitor, key);
        }
        while (!waiting.isEmpty() && waiting.getFirst().isLate()) waiting.removeFirst().leave();
      } catch (Exception error) { // too many open files, most likely: those of the job
        pause();
      }
    }
    return passed.removeFirst();
  }

  // ---- visitors

  private static final class Visitor {
    private final SocketChannel channel;
    private final ByteBuffer received;
    private final long since = System.nanoTime();

    Visitor(SocketChannel channel, int length) {
      this.channel = channel;
      received = ByteBuffer.allocate(length);
    }

    boolean isLate() {
      return System.nanoTime() - since > WAIT_NANOS;
    }

    void leave() {
      try {
        channel.close();
      } catch (IOException error) {
        // It is closed.
      }
    }
  }

  private Visitor enter() throws IOException {
    SocketChannel channel = server.accept();
    if (channel == null) return null;
    Visitor visitor = new Visitor(channel, login.length);
    try {
      channel.configureBlocking(false);
      SelectionKey key = channel.register(selector, SelectionKey.OP_READ, visitor);
      waiting.addLast(visitor);
      listen(visitor, key);
      if (waiting.size() > MAX_WAITING) waiting.removeFirst().leave();
    } catch (IOException error) {
      waiting.remove(visitor);
      visitor.leave();
    }
    return null;
  }

  /** Reads what a visitor has sent, no more than a log-in has; lets it pass, or closes it if that is another one. */
  private void listen(Visitor visitor, SelectionKey key) {
    try {
      int count = visitor.channel.read(visitor.received);
      if (visitor.received.hasRemaining() && count >= 0) return;
      if (MessageDigest.isEqual(login, visitor.received.array())) {
        visitor.channel.write(ByteBuffer.wrap(YES));
        key.cancel();
        visitor.channel.configureBlocking(true);
        passed.addLast(visitor.channel.socket());
        waiting.remove(visitor);
        return;
      }
    } catch (Exception error) {
      // It is closed below.
    }
    waiting.remove(visitor);
    visitor.leave();
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }
}
