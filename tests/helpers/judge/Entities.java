import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.atlas.model.instance.AtlasClassification;
import org.apache.atlas.model.instance.AtlasEntity;
import org.apache.atlas.model.instance.AtlasObjectId;
import org.apache.atlas.type.AtlasClassificationType;
import org.apache.atlas.type.AtlasEntityType;
import org.apache.atlas.type.AtlasStructType.AtlasAttribute;
import org.apache.atlas.type.AtlasTypeRegistry;
import org.apache.atlas.type.AtlasTypeUtil;

/**
 * The entities of one message: their values by Atlas' own validation, and what a server does with them besides
 * (AtlasEntityStoreV2, EntityGraphMapper, AtlasEntityGraphDiscoveryV2).
 */
final class Entities {
    // EntityGraphMapper: what labels and keys of custom attributes may consist of.
    private static final Pattern WORD = Pattern.compile("[\u2E80-\u2FD5\u3190-\u319f\u3400-\u4DBF\u4E00-\u9FCC\uF900-\uFAADa-zA-Z0-9_-]*");
    private static final int LONGEST_WORD = 50;
    private static final int LONGEST_CUSTOM_VALUE = 500;
    // atlas.graphstore.indexed.string.safe.length
    private static final int INDEXED_LIMIT = 32767;

    private final AtlasTypeRegistry types;
    private final Known known;
    private final Verdict verdict;
    private final References references;
    private final Map<String, AtlasEntity> inMessage = new LinkedHashMap<>();
    private final Set<String> lineageOf = new HashSet<>();      // guids of the processes that column lineage names
    private final Set<AtlasEntity> oneSided = new HashSet<>();

    Entities(AtlasTypeRegistry types, Known known, Verdict verdict) {
        this.types = types;
        this.known = known;
        this.verdict = verdict;
        this.references = new References(types, known, verdict, inMessage);
    }

    /** ENTITY_CREATE_V2 and ENTITY_FULL_UPDATE_V2 are one. Entities that are only referred count if somebody refers to them. */
    void createOrUpdate(List<AtlasEntity> listed, Map<String, AtlasEntity> referred) {
        if (listed == null || listed.isEmpty()) {
            verdict.is(Verdict.Result.IGNORED);
            verdict.warn("no entities: committed and ignored");
            return;
        }
        if (listed.stream().anyMatch(Objects::isNull)) {
            verdict.bad("found null entity");
            return;
        }
        inMessage.putAll(referred == null ? Map.of() : referred);
        for (AtlasEntity entity : listed) {
            AtlasEntity other = inMessage.put(entity.getGuid(), entity);
            if (other != null && listed.contains(other)) {
                verdict.warn("two entities have the guid " + entity.getGuid());
            }
        }
        Map<String, String> names = new HashMap<>();
        Set<String> walked = new HashSet<>();
        Deque<AtlasEntity> waiting = new ArrayDeque<>(listed);
        while (!waiting.isEmpty()) {
            AtlasEntity entity = waiting.poll();
            AtlasEntityType type = walked.add(entity.getGuid()) ? checked(entity, true) : null;
            if (type == null) {
                continue;
            }
            for (String name : Known.unique(type, entity.getAttributes())) {
                if (names.put(type.getTypeName() + " " + name, entity.getGuid()) != null) {
                    verdict.warn(type.getTypeName() + " " + name + " twice in one message: they become one entity, the last wins");
                }
            }
            waiting.addAll(references.check(entity, type));
            checkSides(entity, type);
        }
        for (AtlasEntity process : oneSided) {
            if (lineageOf.contains(process.getGuid())) {
                verdict.warn(show(process) + ": column lineage of a process without inputs or without outputs is never seen");
            }
        }
        verdict.entities = walked.size();
        if (!verdict.isBad()) {
            walked.forEach(guid -> known.add(inMessage.get(guid)));
        }
    }

    /** ENTITY_PARTIAL_UPDATE(_V2): mandatory attributes may be absent. */
    void partialUpdate(AtlasObjectId id, AtlasEntity entity, Map<String, AtlasEntity> referred) {
        verdict.entities = 1;
        if (!references.isValid("entityId", id)) {
            return;
        }
        String found = known.typeOf(id);
        if (found == null) {
            verdict.remark("Instance " + show(id) + " does not exist in these records: dropped if the server lacks it, too");
        }
        if (entity.getTypeName() == null) {
            entity.setTypeName(id.getTypeName());
        }
        inMessage.putAll(referred == null ? Map.of() : referred);
        inMessage.put(entity.getGuid(), entity);
        AtlasEntityType type = checked(entity, false);
        if (type != null) {
            references.check(entity, type);
            if (!verdict.isBad() && found != null && !Known.unique(type, entity.getAttributes()).isEmpty()) {
                known.remove(found, id);
                known.add(entity);
            }
        }
    }

    /** ENTITY_DELETE(_V2): by type and unique attributes only; something missing is no error. */
    void delete(List<AtlasObjectId> ids) {
        if (ids == null || ids.isEmpty()) {
            verdict.warn("nothing to delete");
            return;
        }
        for (AtlasObjectId id : ids) {
            verdict.entities++;
            if (id == null || id.getTypeName() == null || id.getUniqueAttributes() == null || id.getUniqueAttributes().isEmpty()) {
                verdict.bad("delete needs typeName and uniqueAttributes, a guid is not looked at: " + id);
            } else if (references.isValid("delete", id)) {
                String found = known.typeOf(id);
                if (found == null) {
                    verdict.remark("delete of " + show(id) + ", which these records have not made, does nothing");
                } else {
                    known.remove(found, id);
                }
            }
        }
    }

    /** Its type, null if it has none. */
    private AtlasEntityType checked(AtlasEntity entity, boolean isWhole) {
        AtlasEntityType type = entity.getTypeName() == null ? null : types.getEntityTypeByName(entity.getTypeName());
        if (type == null) {
            verdict.bad("Type ENTITY with name " + entity.getTypeName() + " does not exist");
            return null;
        }
        String me = show(entity);
        if (!AtlasTypeUtil.isValidGuid(entity.getGuid())) {
            verdict.bad(me + ": invalid guid " + entity.getGuid());
        } else if (AtlasTypeUtil.isAssignedGuid(entity.getGuid())) {
            verdict.warn(me + ": guid " + entity.getGuid() + " was given by a server: dropped if it does not know it");
        }
        moveRelationships(entity, type);
        List<String> problems = new ArrayList<>();
        if (isWhole) {
            type.validateValue(entity, entity.getTypeName(), problems);
        } else {
            type.validateValueForUpdate(entity, entity.getTypeName(), problems);
        }
        problems.forEach(problem -> verdict.bad(me + ": " + problem));
        checkWords(entity, me);
        checkClassifications(entity, type, me);
        checkAttributes(entity, type, me);
        return type;
    }

    /** The server's first step: a relationship that stands among the attributes is moved, where it is no attribute, too. */
    private static void moveRelationships(AtlasEntity entity, AtlasEntityType type) {
        if (entity.getAttributes() == null) {
            return;
        }
        for (String name : List.copyOf(entity.getAttributes().keySet())) {
            if (type.hasRelationshipAttribute(name) && type.getAttribute(name) == null) {
                Object value = entity.getAttributes().remove(name);
                if (value != null && !entity.hasRelationshipAttribute(name)) {
                    entity.setRelationshipAttribute(name, value);
                }
            }
        }
    }

    private void checkWords(AtlasEntity entity, String me) {
        for (String label : entity.getLabels() == null ? Set.<String>of() : entity.getLabels()) {
            if (label == null || label.length() > LONGEST_WORD || !WORD.matcher(label).matches()) {
                verdict.bad(me + ": Invalid label: " + label);
            }
        }
        Map<String, String> custom = entity.getCustomAttributes() == null ? Map.of() : entity.getCustomAttributes();
        custom.forEach((key, value) -> {
            if (key.length() > LONGEST_WORD || !WORD.matcher(key).matches()) {
                verdict.bad(me + ": Invalid key: " + key + " in custom attribute");
            } else if (value != null && value.length() > LONGEST_CUSTOM_VALUE) {
                verdict.bad(me + ": Invalid value of custom attribute " + key + ": " + value.length() + " characters");
            }
        });
    }

    private void checkClassifications(AtlasEntity entity, AtlasEntityType type, String me) {
        if (entity.getClassifications() == null) {
            return;
        }
        for (AtlasClassification classification : entity.getClassifications()) {
            AtlasClassificationType found = types.getClassificationTypeByName(classification.getTypeName());
            if (found == null) {
                verdict.bad(me + ": unknown classification " + classification.getTypeName());
            } else if (!found.canApplyToEntityType(type)) {
                verdict.bad(me + ": classification " + classification.getTypeName() + " does not apply to this type");
            } else {
                List<String> problems = new ArrayList<>();
                found.validateValue(classification, classification.getTypeName(), problems);
                problems.forEach(problem -> verdict.bad(me + ": " + problem));
            }
        }
    }

    private void checkAttributes(AtlasEntity entity, AtlasEntityType type, String me) {
        Map<String, Object> attributes = entity.getAttributes() == null ? Map.of() : entity.getAttributes();
        attributes.forEach((name, value) -> {
            AtlasAttribute attribute = type.getAttribute(name);
            if (attribute == null) {
                verdict.warn(me + ": unknown attribute " + name + " is ignored");
            } else if ("string".equals(attribute.getTypeName()) && (value instanceof Map || value instanceof Collection)) {
                verdict.warn(me + ": " + name + " is a string, the value is stored as Java text");
            } else if (value instanceof String text && attribute.getAttributeDef().getIsIndexable() && text.length() >= INDEXED_LIMIT) {
                verdict.warn(me + ": indexed attribute " + name + " has " + text.length() + " characters, the limit is " + INDEXED_LIMIT);
            }
        });
    }

    /** A pure read or a write of literals lacks a side, and an update may say none; column lineage needs both. */
    private void checkSides(AtlasEntity entity, AtlasEntityType type) {
        if (!type.getAllSuperTypes().contains("Process") || "spark_application".equals(type.getTypeName())) {
            return;
        }
        boolean hasInputs = !isEmpty(side(entity, "inputs"));
        boolean hasOutputs = !isEmpty(side(entity, "outputs"));
        boolean isOfColumns = type.getTypeName().endsWith("_column_lineage");
        if (isOfColumns && !(hasInputs && hasOutputs)) {
            verdict.warn(show(entity) + ": without inputs or without outputs it is in no lineage");
        } else if (!(hasInputs && hasOutputs)) {
            oneSided.add(entity);
        }
        AtlasObjectId process = isOfColumns ? References.objectId(entity.getRelationshipAttribute("process")) : null;
        if (process != null && process.getGuid() != null) {
            lineageOf.add(process.getGuid());
        }
    }

    private static Object side(AtlasEntity entity, String name) {
        Object found = entity.getRelationshipAttribute(name);
        return found != null ? found : entity.getAttribute(name);
    }

    private static boolean isEmpty(Object value) { return value == null || value instanceof Collection<?> c && c.isEmpty(); }

    static String show(AtlasEntity entity) { return entity.getTypeName() + " " + entity.getAttribute("qualifiedName"); }

    static String show(AtlasObjectId id) { return id.getTypeName() + " " + id.getUniqueAttributes(); }
}
