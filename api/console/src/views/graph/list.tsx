// The entities of the drawing as a list, for screen readers and keyboards: the same ones, by salience.
import type { Subgraph } from "../../api/graph";
import type { Entity } from "../../api/types";
import { t } from "../../i18n";
import { number } from "../../i18n/format";
import { linkTo } from "../../state/route";
import { Empty } from "../../ui/notes";
import { elsewhere } from "./shown";
import { TypeOf } from "./type-of";

export function EntityList({ graph: { entities, edges, truncated } }: { graph: Subgraph }) {
  const words = t.value.graph;
  if (entities.length === 0) return <Empty title={words.noneTitle} text={words.noneText} />;
  const degrees = new Map<string, number>();
  for (const id of edges.flatMap(({ fromId, toId }) => [fromId, toId])) degrees.set(id, (degrees.get(id) ?? 0) + 1);
  return (
    <>
      <p class="hint" role="status">{words.count(entities.length, edges.length)}{truncated && ` ${words.truncated}`}</p>
      <ul class="entities" aria-label={words.list}>
        {entities.map((entity) => <Row key={entity.id} entity={entity} edges={degrees.get(entity.id) ?? 0} />)}
      </ul>
    </>
  );
}

function Row({ entity, edges }: { entity: Entity; edges: number }) {
  const words = t.value.graph;
  return (
    <li>
      <a class="entity" href={linkTo("graph", entity.id, elsewhere())}>
        <span class="entity-name"><bdi>{entity.name}</bdi></span>
        <span class="entity-size" title={words.memories(Number(entity.memories))}>{number(entity.memories)}<span class="hidden"> {words.memoriesWord}</span></span>
        <span class="entity-hint"><TypeOf type={entity.type} />{edges > 0 && <span>{words.edges(edges)}</span>}</span>
      </a>
    </li>
  );
}
