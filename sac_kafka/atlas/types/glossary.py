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
)

_BETWEEN_TERMS = (
    AttributeDef("description", is_indexed=True),
    AttributeDef("expression", is_indexed=True),
    AttributeDef("status", "AtlasGlossaryTermRelationshipStatus", is_indexed=True),
    AttributeDef("steward", is_indexed=True),
    AttributeDef("source", is_indexed=True),
)

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
                AttributeDef("qualifiedName", is_mandatory=True, is_unique=True, is_indexed=True),
                AttributeDef("name", is_mandatory=True, is_indexed=True),
                AttributeDef("shortDescription"),
                AttributeDef("longDescription"),
                AttributeDef("language"),
                AttributeDef("usage"),
                AttributeDef("additionalAttributes", "map<string,string>"),
            ),
        ),
        EntityDef(
            "AtlasGlossaryTerm",
            ("__internal",),
            "A word of a vocabulary and what it means.",
            (
                AttributeDef("qualifiedName", is_mandatory=True, is_unique=True, is_indexed=True),
                AttributeDef("name", is_mandatory=True, is_indexed=True),
                AttributeDef("shortDescription"),
                AttributeDef("longDescription"),
                AttributeDef("examples", "array<string>"),
                AttributeDef("abbreviation"),
                AttributeDef("usage"),
                AttributeDef("additionalAttributes", "map<string,string>"),
            ),
        ),
        EntityDef(
            "AtlasGlossaryCategory",
            ("__internal",),
            "A group of terms.",
            (
                AttributeDef("qualifiedName", is_mandatory=True, is_unique=True, is_indexed=True),
                AttributeDef("name", is_mandatory=True, is_indexed=True),
                AttributeDef("shortDescription"),
                AttributeDef("longDescription"),
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
                AttributeDef("description", is_indexed=True),
                AttributeDef("expression", is_indexed=True),
                AttributeDef("status", "AtlasGlossaryTermRelationshipStatus", is_indexed=True),
                AttributeDef("confidence", "int", is_indexed=True),
                AttributeDef("createdBy", is_indexed=True),
                AttributeDef("steward", is_indexed=True),
                AttributeDef("source", is_indexed=True),
            ),
        ),
        RelationshipDef(
            "AtlasGlossaryTermAnchor",
            Category.COMPOSITION,
            (
                End("AtlasGlossary", "terms", Cardinality.SET, is_container=True),
                End("AtlasGlossaryTerm", "anchor", Cardinality.SINGLE),
            ),
        ),
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
        RelationshipDef(
            "AtlasGlossaryCategoryAnchor",
            Category.COMPOSITION,
            (
                End("AtlasGlossary", "categories", Cardinality.SET, is_container=True),
                End("AtlasGlossaryCategory", "anchor", Cardinality.SINGLE),
            ),
        ),
        RelationshipDef(
            "AtlasGlossaryCategoryHierarchyLink",
            Category.AGGREGATION,
            (
                End("AtlasGlossaryCategory", "childrenCategories", Cardinality.SET, is_container=True),
                End("AtlasGlossaryCategory", "parentCategory", Cardinality.SINGLE),
            ),
        ),
        RelationshipDef(
            "AtlasGlossaryRelatedTerm",
            Category.ASSOCIATION,
            (
                End("AtlasGlossaryTerm", "seeAlso", Cardinality.SET),
                End("AtlasGlossaryTerm", "seeAlso", Cardinality.SET),
            ),
            attributes=_BETWEEN_TERMS,
        ),
        RelationshipDef(
            "AtlasGlossarySynonym",
            Category.ASSOCIATION,
            (
                End("AtlasGlossaryTerm", "synonyms", Cardinality.SET),
                End("AtlasGlossaryTerm", "synonyms", Cardinality.SET),
            ),
            attributes=_BETWEEN_TERMS,
        ),
        RelationshipDef(
            "AtlasGlossaryAntonym",
            Category.ASSOCIATION,
            (
                End("AtlasGlossaryTerm", "antonyms", Cardinality.SET),
                End("AtlasGlossaryTerm", "antonyms", Cardinality.SET),
            ),
            attributes=_BETWEEN_TERMS,
        ),
        RelationshipDef(
            "AtlasGlossaryPreferredTerm",
            Category.ASSOCIATION,
            (
                End("AtlasGlossaryTerm", "preferredTerms", Cardinality.SET),
                End("AtlasGlossaryTerm", "preferredToTerms", Cardinality.SET),
            ),
            attributes=_BETWEEN_TERMS,
        ),
        RelationshipDef(
            "AtlasGlossaryReplacementTerm",
            Category.ASSOCIATION,
            (
                End("AtlasGlossaryTerm", "replacedBy", Cardinality.SET),
                End("AtlasGlossaryTerm", "replacementTerms", Cardinality.SET),
            ),
            attributes=_BETWEEN_TERMS,
        ),
        RelationshipDef(
            "AtlasGlossaryTranslation",
            Category.ASSOCIATION,
            (
                End("AtlasGlossaryTerm", "translatedTerms", Cardinality.SET),
                End("AtlasGlossaryTerm", "translationTerms", Cardinality.SET),
            ),
            attributes=_BETWEEN_TERMS,
        ),
        RelationshipDef(
            "AtlasGlossaryIsARelationship",
            Category.ASSOCIATION,
            (End("AtlasGlossaryTerm", "classifies", Cardinality.SET), End("AtlasGlossaryTerm", "isA", Cardinality.SET)),
            attributes=_BETWEEN_TERMS,
        ),
        RelationshipDef(
            "AtlasGlossaryValidValue",
            Category.ASSOCIATION,
            (
                End("AtlasGlossaryTerm", "validValuesFor", Cardinality.SET),
                End("AtlasGlossaryTerm", "validValues", Cardinality.SET),
            ),
            attributes=_BETWEEN_TERMS,
        ),
    ),
)
