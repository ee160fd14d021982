// The names of an entity, and a way to split off a name that means something else.
import { split } from "../../api/graph";
import type { Entity, EntityRead } from "../../api/types";
import { t } from "../../i18n";
import { rule } from "./rule";

export function Names({ entity, names }: { entity: Entity; names: EntityRead["names"] }) {
  const words = t.value.graph;
  if (names.length < 2) return null;
  // The entity has the id of its first name, which need not be the name that it is shown with.
  const main = names.find(({ text }) => text === entity.name)?.id ?? entity.id;
  const apart = (id: string) => () => void rule(words.splitDone, () => split(main, id), () => split(main, id, true));
  return (
    <section class="part">
      <h2>{words.names}</h2>
      <ul class="entity-names">
        {names.map(({ id, text, mentions }) => (
          <li key={id}>
            <bdi>{text}</bdi>
            <span class="hint">{words.mentions(Number(mentions))}</span>
            {id !== main && <button type="button" class="button is-quiet" onClick={apart(id)}>{words.split}<span class="hidden">: {text}</span></button>}
          </li>
        ))}
      </ul>
    </section>
  );
}
