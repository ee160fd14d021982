// The relation of entities that are only named together.
export const TOGETHER = "ENTITY_RELATION_RELATED_TO";

// Symmetric relations, shown with the other entity last.
export const MUTUAL: readonly string[] = ["ENTITY_RELATION_WORKS_WITH", "ENTITY_RELATION_FAMILY", TOGETHER];
