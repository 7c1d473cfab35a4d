import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.atlas.model.instance.AtlasEntity;
import org.apache.atlas.model.instance.AtlasObjectId;
import org.apache.atlas.model.instance.AtlasRelatedObjectId;
import org.apache.atlas.type.AtlasArrayType;
import org.apache.atlas.type.AtlasEntityType;
import org.apache.atlas.type.AtlasRelationshipType;
import org.apache.atlas.type.AtlasStructType.AtlasAttribute;
import org.apache.atlas.type.AtlasTypeRegistry;
import org.apache.atlas.type.AtlasTypeUtil;

/** References: do they lead to something, may it be there, and what would the server make of those that lead nowhere. */
final class References {
    // Types of which no entity is ever made: their attributes are never completed.
    private static final Set<String> ABSTRACT = Set.of(
        "Referenceable", "Asset", "DataSet", "Infrastructure", "Process", "Path", "avro_type", "aws_s3_v2_base", "aws_s3_v2_container",
        "aws_s3_v2_contained", "adls_gen2_parent", "adls_gen2_child", "ozone_parent", "ozone_child", "gcp_storage_base",
        "gcp_storage_parent", "gcp_storage_child");

    private final AtlasTypeRegistry types;
    private final Known known;
    private final Verdict verdict;
    private final Map<String, AtlasEntity> inMessage;

    References(AtlasTypeRegistry types, Known known, Verdict verdict, Map<String, AtlasEntity> inMessage) {
        this.types = types;
        this.known = known;
        this.verdict = verdict;
        this.inMessage = inMessage;
    }

    /** The entities of the message that it refers to. */
    List<AtlasEntity> check(AtlasEntity entity, AtlasEntityType type) {
        Map<String, Object> named = new LinkedHashMap<>();
        if (entity.getRelationshipAttributes() != null) {
            named.putAll(entity.getRelationshipAttributes());
        }
        if (entity.getAttributes() != null) {       // inputs and outputs are plain attributes, too
            entity.getAttributes().forEach((name, value) -> {
                if (type.hasRelationshipAttribute(name)) {
                    named.putIfAbsent(name, value);
                }
            });
        }
        List<AtlasEntity> targets = new ArrayList<>();
        named.forEach((name, value) -> {
            String place = Entities.show(entity) + "." + name;
            if (!type.hasRelationshipAttribute(name)) {
                verdict.warn(place + ": unknown relationship attribute is ignored");
            } else if (value != null) {
                check(place, type, name, value instanceof Collection<?> many ? many : List.of(value), targets);
            }
        });
        return targets;
    }

    private void check(String place, AtlasEntityType type, String name, Collection<?> elements, List<AtlasEntity> targets) {
        String given = elements.stream().map(References::relationshipType).filter(Objects::nonNull).findFirst().orElse(null);
        AtlasAttribute attribute = type.getRelationshipAttribute(name, given);
        AtlasRelationshipType relationship = types.getRelationshipTypeByName(attribute.getRelationshipName());
        if (given != null && !type.getAttributeRelationshipTypes(name).contains(given)) {
            verdict.warn(place + ": unknown relationshipType " + given + ", the server takes " + relationship.getTypeName());
        }
        // The other end of a list of children knows its owner as one object.
        boolean isOwner = attribute.getAttributeType() instanceof AtlasArrayType && isContainer(relationship, type, name);
        if (isOwner && !type.getTypeAndAllSuperTypes().contains("Process")) {
            verdict.warn(place + ": the owner lists its children; those not listed are deleted");
        }
        for (Object element : elements) {
            AtlasObjectId id = objectId(element);
            if (id == null || !AtlasTypeUtil.isValid(id)) {
                verdict.bad(place + ": ObjectId is not valid " + element);
                continue;
            }
            String target = target(place, id, targets);
            if (target != null && !fits(relationship, type.getTypeName(), target)) {
                verdict.bad(place + ": invalid relationshipDef: " + relationship.getTypeName() + ": a " + target + " cannot be there");
            }
        }
    }

    /** The type of what it refers to; null if it is unknown. */
    private String target(String place, AtlasObjectId id, List<AtlasEntity> targets) {
        String guid = id.getGuid();
        if (guid == null || guid.isEmpty()) {
            return isValid(place, id) ? byName(place, id) : null;
        }
        AtlasEntity target = inMessage.get(guid);
        if (target == null && AtlasTypeUtil.isUnAssignedGuid(guid)) {
            verdict.bad(place + ": Referenced entity " + guid + " is not found");
            return null;
        }
        if (target == null) {
            verdict.warn(place + ": guid " + guid + " was given by a server: dropped if it does not know it");
            return id.getTypeName();
        }
        targets.add(target);
        if (id.getTypeName() != null && !id.getTypeName().equals(target.getTypeName())) {
            verdict.warn(place + ": guid " + guid + " is a " + target.getTypeName() + ", the reference says " + id.getTypeName());
        }
        Object name = id.getUniqueAttributes() == null ? null : id.getUniqueAttributes().get("qualifiedName");
        if (name != null && !name.equals(target.getAttribute("qualifiedName"))) {
            verdict.warn(place + ": guid " + guid + " is " + target.getAttribute("qualifiedName") + ", the reference says " + name);
        }
        return types.getEntityTypeByName(target.getTypeName()) == null ? null : target.getTypeName();
    }

    private String byName(String place, AtlasObjectId id) {
        if (ABSTRACT.contains(id.getTypeName())) {
            verdict.warn(place + ": a shell of " + id.getTypeName() + " is never completed");
        }
        AtlasEntityType wanted = types.getEntityTypeByName(id.getTypeName());
        for (AtlasEntity each : inMessage.values()) {
            AtlasEntityType type = types.getEntityTypeByName(each.getTypeName());
            if (type != null && wanted.isTypeOrSuperTypeOf(each.getTypeName())
                    && Known.unique(type, each.getAttributes()).containsAll(Known.unique(type, id.getUniqueAttributes()))) {
                return each.getTypeName();
            }
        }
        String found = known.typeOf(id);
        if (found == null) {
            verdict.shell(Entities.show(id));
        }
        return found == null ? id.getTypeName() : found;
    }

    /** Whether it names an existing type and nothing but unique attributes of it. */
    boolean isValid(String place, AtlasObjectId id) {
        AtlasEntityType type = id == null || id.getTypeName() == null ? null : types.getEntityTypeByName(id.getTypeName());
        if (type == null) {
            verdict.bad(place + ": Type ENTITY with name " + (id == null ? null : id.getTypeName()) + " does not exist");
            return false;
        }
        Map<String, Object> attributes = id.getUniqueAttributes() == null ? Map.of() : id.getUniqueAttributes();
        if (attributes.isEmpty() || Known.unique(type, attributes).size() < attributes.size()) {
            verdict.bad(place + ": " + Entities.show(id) + ": not a unique attribute of " + id.getTypeName());
            return false;
        }
        return true;
    }

    private static boolean isContainer(AtlasRelationshipType relationship, AtlasEntityType type, String name) {
        var definition = relationship.getRelationshipDef();
        return List.of(definition.getEndDef1(), definition.getEndDef2()).stream()
            .anyMatch(end -> end.getIsContainer() && end.getName().equals(name) && type.getTypeAndAllSuperTypes().contains(end.getType()));
    }

    private static boolean fits(AtlasRelationshipType relationship, String one, String two) {
        AtlasEntityType first = relationship.getEnd1Type();
        AtlasEntityType second = relationship.getEnd2Type();
        return first.isTypeOrSuperTypeOf(one) && second.isTypeOrSuperTypeOf(two)
            || second.isTypeOrSuperTypeOf(one) && first.isTypeOrSuperTypeOf(two);
    }

    private static String relationshipType(Object reference) {
        Object found = reference instanceof Map<?, ?> map ? map.get("relationshipType")
            : reference instanceof AtlasRelatedObjectId related ? related.getRelationshipType() : null;
        return found == null ? null : found.toString();
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static AtlasObjectId objectId(Object reference) {
        return reference instanceof AtlasObjectId id ? id : reference instanceof Map map ? new AtlasObjectId(map) : null;
    }
}
