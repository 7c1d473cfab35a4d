import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.kerby.kerberos.kerb.client.KrbClient;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;
import org.apache.kerby.kerberos.kerb.type.ticket.TgtTicket;

/**
 * A Kerberos realm: Kdc FOLDER REALM PORT TASK… with the tasks
 *
 * <ul>
 *   <li>keytab:PRINCIPAL:FILE makes the principal and writes its keytab,
 *   <li>stale:PRINCIPAL:FILE does so and then gives the principal another key,
 *   <li>ticket:PRINCIPAL:KEYTAB:FILE logs a principal in and writes its ticket cache.
 * </ul>
 *
 * Writes FOLDER/ready when all is done, and serves until it is ended.
 */
public class Kdc {
  public static void main(String[] arguments) throws Exception {
    File folder = new File(arguments[0]);
    String realm = arguments[1];
    SimpleKdcServer server = new SimpleKdcServer();
    server.setWorkDir(folder);
    server.setKdcHost("localhost");
    server.setKdcRealm(realm);
    server.setAllowUdp(false);
    server.setKdcTcpPort(Integer.parseInt(arguments[2]));
    server.init();
    server.start();
    for (int i = 3; i < arguments.length; i++) perform(server, realm, arguments[i].split(":"));
    Files.write(Path.of(folder.getPath(), "ready"), "ready\n".getBytes(StandardCharsets.UTF_8));
    Thread.currentThread().join();
  }

  private static void perform(SimpleKdcServer server, String realm, String[] task) throws Exception {
    String principal = task[1] + "@" + realm;
    if (task[0].equals("ticket")) {
      KrbClient client = server.getKrbClient();
      TgtTicket ticket = client.requestTgt(principal, new File(task[2]));
      client.storeTicket(ticket, new File(task[3]));
      return;
    }
    server.createPrincipal(principal, UUID.randomUUID().toString());
    server.exportPrincipal(principal, new File(task[2]));
    if (task[0].equals("stale")) server.getKadmin().changePassword(principal, UUID.randomUUID().toString());
  }
}
