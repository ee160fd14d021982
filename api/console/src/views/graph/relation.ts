// What is no more than being named together.
export const TOGETHER = "ENTITY_RELATION_RELATED_TO";

// Relations that say the same from either side, so that the other one is named last.
export const MUTUAL: readonly string[] = ["ENTITY_RELATION_WORKS_WITH", "ENTITY_RELATION_FAMILY", TOGETHER];
