import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.atlas.exception.AtlasBaseException;
import org.apache.atlas.model.notification.HookNotification;
import org.apache.atlas.model.notification.HookNotification.EntityCreateRequestV2;
import org.apache.atlas.model.notification.HookNotification.EntityDeleteRequestV2;
import org.apache.atlas.model.notification.HookNotification.EntityPartialUpdateRequestV2;
import org.apache.atlas.model.notification.HookNotification.EntityUpdateRequestV2;
import org.apache.atlas.model.typedef.AtlasTypesDef;
import org.apache.atlas.notification.hook.HookMessageDeserializer;
import org.apache.atlas.type.AtlasType;
import org.apache.atlas.type.AtlasTypeRegistry;
import org.apache.atlas.type.AtlasTypeRegistry.AtlasTransientTypeRegistry;
import org.apache.atlas.v1.model.notification.HookNotificationV1;

/**
 * Says of each record of ATLAS_HOOK what a server would make of it, with Atlas' own deserialiser, types and validation.
 *
 *   AtlasJudge TYPEDEFS...   folders of type definitions
 *
 * Standard input: one record's value a line; an empty line forgets all records before it, as a new server would. Standard
 * output: one JSON object a line (see Verdict), {} for an empty line. It does not know what a store does with what it
 * accepts: stale edges, soft deletes.
 */
public final class AtlasJudge {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final AtlasTypeRegistry types = new AtlasTypeRegistry();
    private final Known known = new Known(types);
    private final Set<String> begun = new HashSet<>();      // ids of split messages of which the first part has come
    private HookMessageDeserializer reader = new HookMessageDeserializer();

    private AtlasJudge(AtlasTypesDef definitions) throws AtlasBaseException {
        AtlasTransientTypeRegistry update = types.lockTypeRegistryForUpdate();
        boolean isDone = false;
        try {
            update.addTypes(definitions);
            isDone = true;
        } finally {
            types.releaseTypeRegistryForUpdate(update, isDone);
        }
    }

    private Object answer(String line) {
        if (line.isEmpty()) {
            known.forgetAll();
            begun.clear();
            reader = new HookMessageDeserializer();
            return JSON.createObjectNode();
        }
        Verdict verdict = new Verdict();
        try {
            HookNotification notification = reader.deserialize(line);
            if (notification == null) {
                judgePart(line, verdict);
            } else {
                verdict.type = String.valueOf(notification.getType());
                judge(notification, verdict);
            }
        } catch (RuntimeException e) {      // whatever Atlas' classes throw, a server's consumer would have caught it, too
            verdict.bad(e.toString());
        }
        return verdict.fields();
    }

    private void judge(HookNotification notification, Verdict verdict) {
        Entities entities = new Entities(types, known, verdict);
        V1 v1 = new V1(types, verdict);
        switch (notification.getType()) {
            case ENTITY_CREATE_V2 -> {
                var given = ((EntityCreateRequestV2) notification).getEntities();
                entities.createOrUpdate(given == null ? null : given.getEntities(), given == null ? null : given.getReferredEntities());
            }
            case ENTITY_FULL_UPDATE_V2 -> {
                var given = ((EntityUpdateRequestV2) notification).getEntities();
                entities.createOrUpdate(given == null ? null : given.getEntities(), given == null ? null : given.getReferredEntities());
            }
            case ENTITY_CREATE, ENTITY_FULL_UPDATE -> {
                // EntityUpdateRequest inherits from EntityCreateRequest
                var listed = ((HookNotificationV1.EntityCreateRequest) notification).getEntities().stream().map(v1::entity).toList();
                listed.forEach(each -> v1.referred.remove(each.getGuid()));
                entities.createOrUpdate(listed, v1.referred);
            }
            case ENTITY_PARTIAL_UPDATE_V2 -> {
                var update = (EntityPartialUpdateRequestV2) notification;
                entities.partialUpdate(update.getEntityId(), update.getEntity().getEntity(), update.getEntity().getReferredEntities());
            }
            case ENTITY_PARTIAL_UPDATE -> {
                var update = (HookNotificationV1.EntityPartialUpdateRequest) notification;
                var id = V1.id(update.getTypeName(), update.getAttribute(), update.getAttributeValue()).get(0);
                entities.partialUpdate(id, v1.entity(update.getEntity()), v1.referred);
            }
            case ENTITY_DELETE_V2 -> entities.delete(((EntityDeleteRequestV2) notification).getEntities());
            case ENTITY_DELETE -> {
                var delete = (HookNotificationV1.EntityDeleteRequest) notification;
                entities.delete(V1.id(delete.getTypeName(), delete.getAttribute(), delete.getAttributeValue()));
            }
            default -> verdict.bad("Unknown notification type: " + notification.getType());
        }
    }

    /** The deserialiser gave nothing: a part of a split message that others follow, or a record that is lost. */
    private void judgePart(String line, Verdict verdict) {
        try {
            JsonNode envelope = JSON.readTree(line);
            int index = envelope.path("msgSplitIdx").asInt(-1);
            String id = envelope.path("msgId").asText("");
            if (!id.isEmpty() && index >= 0 && index < envelope.path("msgSplitCount").asInt(1) - 1 && (index == 0 || begun.contains(id))) {
                begun.add(id);
                verdict.is(Verdict.Result.PART);
                return;
            }
            begun.remove(id);
        } catch (JsonProcessingException e) {
            verdict.bad("not JSON: " + e.getOriginalMessage());
        }
        verdict.bad("lost without a trace: no version, no message, an unknown value, or parts that are missing or out of order");
    }

    private static AtlasTypesDef definitions(String[] folders) throws IOException {
        AtlasTypesDef all = new AtlasTypesDef();
        List<Path> files = new ArrayList<>();
        for (String folder : folders) {
            try (Stream<Path> found = Files.list(Path.of(folder))) {
                files.addAll(found.filter(path -> path.toString().endsWith(".json")).sorted().toList());
            }
        }
        for (Path file : files) {
            AtlasTypesDef some = AtlasType.fromJson(Files.readString(file), AtlasTypesDef.class);
            if (some == null || some.isEmpty()) {
                throw new IOException(file + " holds no type definitions");
            }
            all.getEnumDefs().addAll(some.getEnumDefs());
            all.getStructDefs().addAll(some.getStructDefs());
            all.getClassificationDefs().addAll(some.getClassificationDefs());
            all.getEntityDefs().addAll(some.getEntityDefs());
            all.getRelationshipDefs().addAll(some.getRelationshipDefs());
        }
        if (all.isEmpty()) {
            throw new IOException(String.join(", ", folders) + ": no type definitions");
        }
        return all;
    }

    public static void main(String[] arguments) throws Exception {
        Path conf = Files.createTempDirectory("atlas-judge");     // Atlas' classes want a configuration; the defaults are right
        Path file = Files.createFile(conf.resolve("atlas-application.properties"));
        System.setProperty("atlas.conf", conf.toString());
        AtlasJudge judge = new AtlasJudge(definitions(arguments));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);      // whatever Atlas' classes print is no answer
        // ApplicationProperties has read it by now
        Files.delete(file);
        Files.delete(conf);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(JSON.writeValueAsString(judge.answer(line)));
            out.flush();
        }
    }
}
