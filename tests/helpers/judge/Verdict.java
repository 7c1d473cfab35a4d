import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * What a server would make of one record.
 *
 * Violations: the message, or a part of it, would be lost. Warnings: it would be accepted, but do something that nobody
 * wants. Remarks: it depends on what the server has. Shells: incomplete entities that would be made for references.
 */
final class Verdict {
    enum Result { OK, BAD, PART, IGNORED }

    private final Set<String> violations = new LinkedHashSet<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    private final Set<String> remarks = new LinkedHashSet<>();
    private final Set<String> shells = new LinkedHashSet<>();
    private Result result = Result.OK;
    String type = "";
    int entities;

    void bad(String what) {
        violations.add(what);
        result = Result.BAD;
    }

    void warn(String what) { warnings.add(what); }

    void remark(String what) { remarks.add(what); }

    void shell(String what) { shells.add(what); }

    void is(Result result) { this.result = result; }

    boolean isBad() { return result == Result.BAD; }

    /** As it is printed. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("result", result);
        fields.put("type", type);
        fields.put("entities", entities);
        fields.put("violations", violations);
        fields.put("warnings", warnings);
        fields.put("remarks", remarks);
        fields.put("shells", shells);
        return fields;
    }
}
