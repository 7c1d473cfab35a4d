package sackafka.testing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.logging.Logger;

/**
 * Database servers as Spark sees them: takes the URLs of SQL Server, PostgreSQL and MySQL, and keeps each database in H2,
 * which speaks their SQL.
 */
public class StandInDriver implements Driver {
  private static final int NO_SUCH_TABLE = 42102;

  /** A kind of server: how its URLs begin, how H2 speaks like it, its default schema, and how it says that a table is missing. */
  private record Server(String url, String mode, String schema, String state, int code) {}

  private static final Server[] SERVERS = {
    new Server("jdbc:sqlserver:", "MSSQLServer", "dbo", "S0002", 208),
    new Server("jdbc:postgresql:", "PostgreSQL", "public", "42P01", 0),
    new Server("jdbc:mysql:", "MySQL", "public", "42S02", 1146),
  };

  static {
    try {
      DriverManager.registerDriver(new StandInDriver());
    } catch (SQLException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Override
  public Connection connect(String url, Properties given) throws SQLException {
    Server server = serverOf(url);
    if (server == null) return null;
    String database = url.replaceAll("(?i);?(user|password)=[^;&]*", "").replaceAll("[^A-Za-z0-9]+", "_");
    String kept =
        "jdbc:h2:mem:%s;MODE=%s;DB_CLOSE_DELAY=-1;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE;"
            + "INIT=CREATE SCHEMA IF NOT EXISTS \"%s\"\\;SET SCHEMA \"%s\"";
    String address = String.format(kept, database, server.mode(), server.schema(), server.schema());
    return speaking(server, Connection.class, new org.h2.Driver().connect(address, new Properties()));
  }

  @Override
  public boolean acceptsURL(String url) {
    return serverOf(url) != null;
  }

  private static Server serverOf(String url) {
    for (Server server : SERVERS) if (url.startsWith(server.url())) return server;
    return null;
  }

  /** A connection or statement of H2 whose errors are the server's: Spark knows by them that a table is not there. */
  private static <T> T speaking(Server server, Class<T> as, T of) {
    Object made =
        Proxy.newProxyInstance(
            as.getClassLoader() == null ? StandInDriver.class.getClassLoader() : as.getClassLoader(),
            new Class<?>[] {as},
            (self, method, arguments) -> {
              try {
                Object result = method.invoke(of, arguments);
                if (result instanceof PreparedStatement) return speaking(server, PreparedStatement.class, (PreparedStatement) result);
                return result instanceof Statement ? speaking(server, Statement.class, (Statement) result) : result;
              } catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof SQLException)) throw e.getCause();
                SQLException error = (SQLException) e.getCause();
                int code = error.getErrorCode();
                boolean isMissing = NO_SUCH_TABLE <= code && code <= NO_SUCH_TABLE + 2;
                throw isMissing ? new SQLException(error.getMessage(), server.state(), server.code()) : error;
              }
            });
    return as.cast(made);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties given) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public int getMajorVersion() {
    return 1;
  }

  @Override
  public int getMinorVersion() {
    return 0;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }
}
