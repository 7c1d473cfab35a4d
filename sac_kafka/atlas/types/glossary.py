"""Terms that people give entities. We send none of it; a server that starts empty needs it."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import (
    AttributeDef,
    Cardinality,
    Category,
    End,
    EntityDef,
    EnumDef,
    Family,
    Propagation,
    RelationshipDef,
    composition,
    each,
)

_BETWEEN_TERMS = (
    *each("string", "description", "expression", is_indexed=True),
    AttributeDef("status", "AtlasGlossaryTermRelationshipStatus", is_indexed=True),
    *each("string", "steward", "source", is_indexed=True),
)

_NAMED = (
    AttributeDef("qualifiedName", is_mandatory=True, is_unique=True, is_indexed=True),
    AttributeDef("name", is_mandatory=True, is_indexed=True),
    *each("string", "shortDescription", "longDescription"),
)


def _between_terms(name: str, one: str, other: str) -> RelationshipDef:
    """Terms that mean something to each other: two ends of one type, each with as many terms as there are."""
    ends = (End("AtlasGlossaryTerm", one, Cardinality.SET), End("AtlasGlossaryTerm", other, Cardinality.SET))
    return RelationshipDef(name, Category.ASSOCIATION, ends, attributes=_BETWEEN_TERMS)


GLOSSARY = Family(
    name="glossary",
    order=20,
    service_type="atlas_core",
    enums=(
        EnumDef(
            "AtlasGlossaryTermRelationshipStatus",
            "How sure it is that two terms, or a term and a category, belong together.",
            ((0, "DRAFT"), (1, "ACTIVE"), (2, "DEPRECATED"), (3, "OBSOLETE"), (99, "OTHER")),
        ),
        EnumDef(
            "AtlasGlossaryTermAssignmentStatus",
            "How sure it is that an entity has the meaning of a term.",
            (
                (0, "DISCOVERED"),
                (1, "PROPOSED"),
                (2, "IMPORTED"),
                (3, "VALIDATED"),
                (4, "DEPRECATED"),
                (5, "OBSOLETE"),
                (6, "OTHER"),
            ),
        ),
    ),
    entities=(
        EntityDef(
            "AtlasGlossary",
            ("__internal",),
            "A vocabulary: terms and their categories.",
            (
                *_NAMED,
                *each("string", "language", "usage"),
                AttributeDef("additionalAttributes", "map<string,string>"),
            ),
        ),
        EntityDef(
            "AtlasGlossaryTerm",
            ("__internal",),
            "A word of a vocabulary and what it means.",
            (
                *_NAMED,
                AttributeDef("examples", "array<string>"),
                *each("string", "abbreviation", "usage"),
                AttributeDef("additionalAttributes", "map<string,string>"),
            ),
        ),
        EntityDef(
            "AtlasGlossaryCategory",
            ("__internal",),
            "A group of terms.",
            (
                *_NAMED,
                AttributeDef("additionalAttributes", "map<string,string>"),
            ),
        ),
    ),
    relationships=(
        RelationshipDef(
            "AtlasGlossarySemanticAssignment",
            Category.ASSOCIATION,
            (
                End("AtlasGlossaryTerm", "assignedEntities", Cardinality.SET),
                End("Referenceable", "meanings", Cardinality.SET),
            ),
            propagation=Propagation.ONE_TO_TWO,
            attributes=(
                *each("string", "description", "expression", is_indexed=True),
                AttributeDef("status", "AtlasGlossaryTermRelationshipStatus", is_indexed=True),
                AttributeDef("confidence", "int", is_indexed=True),
                *each("string", "createdBy", "steward", "source", is_indexed=True),
            ),
        ),
        composition("AtlasGlossaryTermAnchor", "AtlasGlossary.terms", "AtlasGlossaryTerm.anchor"),
        RelationshipDef(
            "AtlasGlossaryTermCategorization",
            Category.AGGREGATION,
            (
                End("AtlasGlossaryCategory", "terms", Cardinality.SET, is_container=True),
                End("AtlasGlossaryTerm", "categories", Cardinality.SET),
            ),
            attributes=(
                AttributeDef("description", is_indexed=True),
                AttributeDef("status", "AtlasGlossaryTermRelationshipStatus", is_indexed=True),
            ),
        ),
        composition("AtlasGlossaryCategoryAnchor", "AtlasGlossary.categories", "AtlasGlossaryCategory.anchor"),
        RelationshipDef(
            "AtlasGlossaryCategoryHierarchyLink",
            Category.AGGREGATION,
            (
                End("AtlasGlossaryCategory", "childrenCategories", Cardinality.SET, is_container=True),
                End("AtlasGlossaryCategory", "parentCategory", Cardinality.SINGLE),
            ),
        ),
        _between_terms("AtlasGlossaryRelatedTerm", "seeAlso", "seeAlso"),
        _between_terms("AtlasGlossarySynonym", "synonyms", "synonyms"),
        _between_terms("AtlasGlossaryAntonym", "antonyms", "antonyms"),
        _between_terms("AtlasGlossaryPreferredTerm", "preferredTerms", "preferredToTerms"),
        _between_terms("AtlasGlossaryReplacementTerm", "replacedBy", "replacementTerms"),
        _between_terms("AtlasGlossaryTranslation", "translatedTerms", "translationTerms"),
        _between_terms("AtlasGlossaryIsARelationship", "classifies", "isA"),
        _between_terms("AtlasGlossaryValidValue", "validValuesFor", "validValues"),
    ),
)
