package sackafka.testing;

import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.StageInfo;

/** What the projecting thread does that it must not: calls of the local file system, connections of sockets, Spark jobs. */
public class Watched {
  private static final String THREAD = "sac-kafka-projector";
  private static final String OURS = "sackafka.Accessors";
  private static final List<String> SEEN = Collections.synchronizedList(new ArrayList<>());

  /** Watches sockets and jobs too; file systems are watched where `fs.file.impl` is `Watched$Files`. */
  public static void begin(SparkContext context) {
    ProxySelector before = ProxySelector.getDefault();
    if (!(before instanceof Sockets)) ProxySelector.setDefault(new Sockets(before));
    context.addSparkListener(new Jobs());
  }

  /** What was seen since the last time. */
  public static List<String> taken() {
    synchronized (SEEN) {
      List<String> taken = new ArrayList<>(SEEN);
      SEEN.clear();
      return taken;
    }
  }

  private static void did(String what) {
    if (!Thread.currentThread().getName().startsWith(THREAD)) return;
    StackTraceElement[] stack = Thread.currentThread().getStackTrace();
    SEEN.add(what + " < " + Arrays.asList(stack).subList(Math.min(3, stack.length), Math.min(15, stack.length)));
  }

  public static class Files extends LocalFileSystem {
    @Override
    public FSDataInputStream open(Path path, int buffer) throws IOException {
      did("open " + path);
      return super.open(path, buffer);
    }

    @Override
    public FSDataOutputStream create(
        Path path, FsPermission permission, boolean overwrite, int buffer, short replication, long block, Progressable progress)
        throws IOException {
      did("create " + path);
      return super.create(path, permission, overwrite, buffer, replication, block, progress);
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      did("getFileStatus " + path);
      return super.getFileStatus(path);
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
      did("listStatus " + path);
      return super.listStatus(path);
    }

    @Override
    public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
      did("listLocatedStatus " + path);
      return super.listLocatedStatus(path);
    }

    @Override
    public boolean mkdirs(Path path) throws IOException {
      did("mkdirs " + path);
      return super.mkdirs(path);
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
      did("rename " + from);
      return super.rename(from, to);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
      did("delete " + path);
      return super.delete(path, recursive);
    }
  }

  /** Every socket asks the selector before it connects, in the thread that connects it. */
  private static class Sockets extends ProxySelector {
    private final ProxySelector before;

    Sockets(ProxySelector before) {
      this.before = before;
    }

    @Override
    public List<Proxy> select(URI uri) {
      did("connect " + uri);
      return before == null ? Collections.singletonList(Proxy.NO_PROXY) : before.select(uri);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException error) {
      if (before != null) before.connectFailed(uri, address, error);
    }
  }

  /** A job has the stack of the thread that started it. */
  private static class Jobs extends SparkListener {
    @Override
    public void onJobStart(SparkListenerJobStart job) {
      scala.collection.Iterator<StageInfo> stages = job.stageInfos().iterator();
      while (stages.hasNext()) {
        String details = stages.next().details();
        if (details.contains(OURS)) SEEN.add("job " + job.jobId() + " < " + details);
      }
    }
  }

  /** What an accessor must not do: an event whose accessors do it. */
  public static class Careless implements SparkListenerEvent {
    private final SparkContext context;
    private final String path;
    private final int port;

    public Careless(SparkContext context, String path, int port) {
      this.context = context;
      this.path = path;
      this.port = port;
    }

    public String listsFiles() throws IOException {
      Path root = new Path(path);
      return String.valueOf(root.getFileSystem(context.hadoopConfiguration()).listStatus(root).length);
    }

    public String connects() throws IOException {
      try (java.net.Socket socket = new java.net.Socket("127.0.0.1", port)) {
        return String.valueOf(socket.getPort());
      }
    }

    public String runsAJob() {
      return String.valueOf(
          org.apache.spark.api.java.JavaSparkContext.fromSparkContext(context).parallelize(Arrays.asList(1, 2)).count());
    }

    public String name() {
      return "careful";
    }
  }
}
