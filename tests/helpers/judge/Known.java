import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.atlas.model.instance.AtlasEntity;
import org.apache.atlas.model.instance.AtlasObjectId;
import org.apache.atlas.type.AtlasEntityType;
import org.apache.atlas.type.AtlasTypeRegistry;

/** The identities of the entities that the records so far have made: type name and unique attributes. */
final class Known {
    private final AtlasTypeRegistry types;
    private final Map<String, Set<String>> made = new HashMap<>();

    Known(AtlasTypeRegistry types) { this.types = types; }

    void forgetAll() { made.clear(); }

    void add(AtlasEntity entity) {
        AtlasEntityType type = types.getEntityTypeByName(entity.getTypeName());
        made.computeIfAbsent(entity.getTypeName(), name -> new HashSet<>()).addAll(unique(type, entity.getAttributes()));
    }

    void remove(String typeName, AtlasObjectId id) {
        made.get(typeName).removeAll(unique(types.getEntityTypeByName(typeName), id.getUniqueAttributes()));
    }

    /** The concrete type under which it was made, null if it was not: a server looks at the type, then at its subtypes. */
    String typeOf(AtlasObjectId id) {
        AtlasEntityType type = types.getEntityTypeByName(id.getTypeName());
        List<String> wanted = unique(type, id.getUniqueAttributes());
        Set<String> candidates = new LinkedHashSet<>(List.of(id.getTypeName()));
        candidates.addAll(type.getAllSubTypes());
        for (String candidate : candidates) {
            if (!wanted.isEmpty() && made.getOrDefault(candidate, Set.of()).containsAll(wanted)) {
                return candidate;
            }
        }
        return null;
    }

    /** "attribute=value" of each unique attribute that has a value. */
    static List<String> unique(AtlasEntityType type, Map<String, Object> attributes) {
        List<String> found = new ArrayList<>();
        if (attributes != null) {
            attributes.forEach((name, value) -> {
                if (value != null && type.getAttribute(name) != null && type.getAttribute(name).getAttributeDef().getIsUnique()) {
                    found.add(name + "=" + value);
                }
            });
        }
        return found;
    }
}
