// The type of an entity, with its colour in the drawing.
import { t, word } from "../../i18n";

// Positions in the list of colours; rare types share one.
const COLOURS: Readonly<Record<string, number>> = {
  ENTITY_TYPE_PERSON: 3,
  ENTITY_TYPE_PLACE: 0,
  ENTITY_TYPE_ORGANIZATION: 1,
  ENTITY_TYPE_PRODUCT: 2,
  ENTITY_TYPE_PROJECT: 5,
};

const OTHER_COLOUR = 4;

export function colourOf(type: string): number {
  return COLOURS[type] ?? OTHER_COLOUR;
}

export function TypeOf({ type }: { type: string }) {
  return <span class="entity-type"><span class={`swatch part-${colourOf(type)}`} />{word(t.value.words.entityType, type)}</span>;
}
