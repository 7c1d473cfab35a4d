package sackafka.testing;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * A store in the cloud as Spark sees it, kept in a local directory: `abfss://raw@account.dfs.core.windows.net/a` is
 * `ROOT/raw@account/a`, and so is `wasbs://raw@account.blob.core.windows.net/a`, as it is with a real account. ROOT is
 * `fs.stand-in.root`. A rename never replaces a file, as that of these stores does not.
 */
public class StandInFileSystem extends FileSystem {
  private static final String ROOT = "fs.stand-in.root";

  private final RawLocalFileSystem local = new RawLocalFileSystem();
  private URI uri;
  private String folder;
  private Path working;

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    local.initialize(URI.create("file:///"), conf);
    String authority = name.getAuthority();
    uri = URI.create(name.getScheme() + "://" + (authority == null ? "/" : authority));
    String store = authority == null ? name.getScheme() : authority.split("[.]", 2)[0];
    folder = conf.get(ROOT) + "/" + store;
    local.mkdirs(new Path(folder));
    working = new Path(uri.getScheme(), authority, "/");
  }

  @Override
  public URI getUri() {
    return uri;
  }

  @Override
  public String getScheme() {
    return uri.getScheme();
  }

  @Override
  public FSDataInputStream open(Path path, int buffer) throws IOException {
    return local.open(kept(path), buffer);
  }

  @Override
  public FSDataOutputStream create(
      Path path, FsPermission permission, boolean overwrite, int buffer, short replication, long block, Progressable progress)
      throws IOException {
    return local.create(kept(path), overwrite, buffer, replication, block, progress);
  }

  @Override
  public FSDataOutputStream append(Path path, int buffer, Progressable progress) throws IOException {
    return local.append(kept(path), buffer, progress);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    Path source = kept(from);
    Path target = kept(to);
    if (!local.exists(source) || (local.exists(target) && !local.getFileStatus(target).isDirectory())) return false;
    return local.rename(source, target);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return local.delete(kept(path), recursive);
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    FileStatus[] found = local.listStatus(kept(path));
    FileStatus[] shown = new FileStatus[found.length];
    for (int i = 0; i < found.length; i++) shown[i] = shown(found[i]);
    return shown;
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    try {
      return shown(local.getFileStatus(kept(path)));
    } catch (FileNotFoundException e) {
      throw new FileNotFoundException("no such file: " + path);
    }
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    return local.mkdirs(kept(path));
  }

  @Override
  public void setWorkingDirectory(Path path) {
    working = path;
  }

  @Override
  public Path getWorkingDirectory() {
    return working;
  }

  /** Where it is kept. */
  private Path kept(Path path) {
    return new Path("file", null, folder + path.makeQualified(uri, working).toUri().getPath());
  }

  /** What is kept, as what it stands for. */
  private FileStatus shown(FileStatus of) {
    String below = of.getPath().toUri().getPath().substring(folder.length());
    Path path = new Path(uri.getScheme(), uri.getAuthority(), below.isEmpty() ? "/" : below);
    return new FileStatus(
        of.getLen(), of.isDirectory(), of.getReplication(), of.getBlockSize(), of.getModificationTime(), path);
  }
}
