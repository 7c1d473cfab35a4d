import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.atlas.ApplicationProperties;
import org.apache.atlas.utils.KafkaUtils;
import org.apache.commons.configuration.Configuration;
import org.apache.commons.configuration.ConfigurationConverter;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.JaasContext;

/**
 * Print the results of the original classes for a file or text: Atlas' reader of properties, Kafka's of a login, Atlas' of a section.
 *
 * Standard input: one request per line, words separated by blanks, texts in Base64 (an empty one is "-").
 *   defaults FOLDER NAME        of an empty file: what Atlas adds to every file; later answers exclude it
 *   properties FOLDER NAME      all keys and values
 *   jaas TEXT                   module, control flag, options
 *   section FOLDER NAME         the same, out of the section of a file
 * Standard output: one line per answer, "ok" and texts as UTF-16 in hexadecimal digits, or "refused" and the class of the exception.
 */
public final class Originals {
    private Map<String, String> defaults = Map.of();

    public static void main(String[] arguments) throws IOException {
        Originals originals = new Originals();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            try {
                out.println("ok" + originals.answer(words[0], words));
            } catch (Exception | StackOverflowError e) {
                out.println("refused " + e.getClass().getName());
            }
        }
    }

    private String answer(String what, String[] words) throws Exception {
        if (what.equals("jaas")) {
            return login(text(words[1]));
        }
        Configuration configuration = read(text(words[1]), text(words[2]));
        if (what.equals("section")) {
            Properties kafka = new Properties();
            KafkaUtils.setKafkaJAASProperties(configuration, kafka);
            String built = kafka.getProperty(SaslConfigs.SASL_JAAS_CONFIG);
            return built == null ? "" : login(built);
        }
        Map<String, String> found = all(configuration);
        if (what.equals("defaults")) {
            defaults = found;
        }
        StringBuilder answer = new StringBuilder();
        for (Map.Entry<String, String> entry : found.entrySet()) {
            if (!entry.getValue().equals(defaults.get(entry.getKey()))) {
                answer.append(' ').append(packed(entry.getKey())).append(' ').append(packed(entry.getValue()));
            }
        }
        return answer.toString();
    }

    private static Configuration read(String folder, String name) throws Exception {
        System.setProperty("atlas.conf", folder);
        return ApplicationProperties.get(name);
    }

    private static Map<String, String> all(Configuration configuration) {
        Map<String, String> found = new TreeMap<>();
        Properties properties = ConfigurationConverter.getProperties(configuration);
        for (String key : properties.stringPropertyNames()) {
            found.put(key, properties.getProperty(key));
        }
        return found;
    }

    private static String login(String text) {
        Map<String, Object> configuration = Map.of(SaslConfigs.SASL_JAAS_CONFIG, new Password(text));
        AppConfigurationEntry entry = JaasContext.loadClientContext(configuration).configurationEntries().get(0);
        String flag = entry.getControlFlag().toString().replaceAll("(?s).*: ", "").trim().toUpperCase();
        StringBuilder answer = new StringBuilder(" " + packed(entry.getLoginModuleName()) + " " + packed(flag));
        Map<String, Object> options = new HashMap<>(entry.getOptions());
        options.remove(null);       // a number or sign as name: Kafka accepts it, but it cannot be looked up
        for (Map.Entry<String, Object> option : new TreeMap<>(options).entrySet()) {
            answer.append(' ').append(packed(option.getKey())).append(' ').append(packed((String) option.getValue()));
        }
        return answer.toString();
    }

    private static String packed(String text) {
        StringBuilder digits = new StringBuilder();        // four a character: a lone surrogate comes through as well
        for (char each : text.toCharArray()) {
            digits.append(String.format("%04x", (int) each));
        }
        return text.isEmpty() ? "-" : digits.toString();
    }

    private static String text(String packed) {
        return packed.equals("-") ? "" : new String(Base64.getDecoder().decode(packed), StandardCharsets.UTF_8);
    }
}
