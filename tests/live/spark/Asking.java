package sackafka;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Scanner;
import org.apache.spark.sql.types.StructType;

/** In the place of the hook's own. */
class Records {
  String noted = "";

  public void note(String what) {
    noted += what;
  }
}

/**
 * Asks an accessor that does what a line says: `waits` or `computes`, of `Spark` or another, among how many threads that compute, too.
 * The answer, in base64, is what was noted.
 */
public class Asking {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static volatile boolean isOver;

  public static void main(String[] arguments) throws Exception {
    Scanner in = new Scanner(System.in);
    while (in.hasNextLine()) {
      String[] words = in.nextLine().split("\t");
      Records records = new Records();
      Watch watch = new Watch(records);
      Thread[] others = others(Integer.parseInt(words[3]));
      watch.begin();
      if (words[0].equals("waits")) Thread.sleep(Long.parseLong(words[2]));
      else compute(Long.parseLong(words[2]));
      watch.slow(words[1].equals("Spark") ? (Object) new StructType() : (Object) words, "value");
      isOver = true;
      for (int i = 0; i < others.length; i++) others[i].join();
      String noted = records.noted;
      System.out.println(Base64.getEncoder().encodeToString(noted.getBytes(StandardCharsets.UTF_8)));
      System.out.flush();
    }
  }

  private static void compute(long ms) {
    long end = THREADS.getCurrentThreadCpuTime() + ms * 1000000L;
    while (THREADS.getCurrentThreadCpuTime() < end) Math.sqrt(end);
  }

  private static Thread[] others(int count) throws InterruptedException {
    isOver = false;
    Thread[] others = new Thread[count];
    for (int i = 0; i < count; i++) {
      others[i] =
          new Thread() {
            public void run() {
              while (!isOver) Math.sqrt(System.nanoTime());
            }
          };
      others[i].start();
    }
    if (count > 0) Thread.sleep(50); // they compute by now
    return others;
  }
}
