import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.atlas.model.instance.AtlasClassification;
import org.apache.atlas.model.instance.AtlasEntity;
import org.apache.atlas.model.instance.AtlasObjectId;
import org.apache.atlas.type.AtlasEntityType;
import org.apache.atlas.type.AtlasTypeRegistry;
import org.apache.atlas.v1.model.instance.Id;
import org.apache.atlas.v1.model.instance.Referenceable;
import org.apache.atlas.v1.model.instance.Struct;

/** Entities of a V1 message as entities of V2, as a server converts them first; those that are nested become `referred`. */
final class V1 {
    private final AtlasTypeRegistry types;
    private final Verdict verdict;
    final Map<String, AtlasEntity> referred = new LinkedHashMap<>();

    V1(AtlasTypeRegistry types, Verdict verdict) {
        this.types = types;
        this.verdict = verdict;
    }

    /** The entity itself is not among the `referred`. */
    AtlasEntity entity(Referenceable given) {
        AtlasEntity entity = converted(given);
        referred.remove(entity.getGuid());
        return entity;
    }

    private AtlasEntity converted(Referenceable given) {
        AtlasEntity entity = new AtlasEntity(given.getTypeName());
        entity.setGuid(given.getId() == null ? null : given.getId().getId());
        referred.put(entity.getGuid(), entity);
        AtlasEntityType type = types.getEntityTypeByName(given.getTypeName());
        if (given.getValues() != null) {
            given.getValues().forEach((name, value) -> {
                boolean isReference = type != null && type.hasRelationshipAttribute(name);
                entity.setAttribute(name, value(value, isReference, given.getTypeName() + "." + name));
            });
        }
        if (given.getTraitNames() != null) {
            entity.setClassifications(given.getTraitNames().stream().map(AtlasClassification::new).toList());
        }
        return entity;
    }

    private Object value(Object given, boolean isReference, String place) {
        if (given instanceof Referenceable nested) {
            AtlasEntity entity = converted(nested);
            return new AtlasObjectId(entity.getGuid(), entity.getTypeName());
        }
        if (given instanceof Id id) {
            return new AtlasObjectId(id.getId(), id.getTypeName());
        }
        if (given instanceof Struct struct) {
            return struct.getValues();
        }
        if (given instanceof Collection<?> elements) {
            return elements.stream().map(element -> value(element, isReference, place)).toList();
        }
        if (isReference && given instanceof Map<?, ?> map && !map.containsKey("uniqueAttributes") && !map.containsKey("guid")) {
            verdict.bad("Invalid instance creation/updation parameters passed : " + place + " (nested objects need jsonClass)");
            return null;
        }
        return given;
    }

    static List<AtlasObjectId> id(String typeName, String attribute, String value) {
        return List.of(new AtlasObjectId(typeName, attribute, value));
    }
}
