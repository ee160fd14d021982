// The relations of an entity: name, strength, and the memories that state it.
import { useState } from "preact/hooks";
import type { Entity, EntityEdge } from "../../api/types";
import { t, word } from "../../i18n";
import { percent } from "../../i18n/format";
import { linkTo } from "../../state/route";
import { Meter } from "../../ui/bar";
import { When } from "../../ui/marks";
import { Evidence } from "./evidence";
import { MUTUAL } from "./relation";
import { elsewhere } from "./shown";

export function Edges({ entity, edges }: { entity: Entity; edges: EntityEdge[] }) {
  const words = t.value.graph;
  return (
    <section class="part">
      <h2>{words.edgesTitle}<span class="count">{edges.length}</span></h2>
      {edges.length === 0 && <p class="hint">{words.edgesEmpty}</p>}
      <ul class="entity-edges">
        {edges.map((edge) => <Edge key={edge.fromId + edge.relation + edge.toId} edge={edge} from={entity.id} />)}
      </ul>
    </section>
  );
}

function Edge({ edge, from }: { edge: EntityEdge; from: string }) {
  const words = t.value.graph;
  const [open, setOpen] = useState(false);
  const out = edge.fromId === from;
  const other = out ? { id: edge.toId, name: edge.toName } : { id: edge.fromId, name: edge.fromName };
  const first = out || MUTUAL.includes(edge.relation);
  const relation = word(t.value.words.entityRelation, edge.relation);
  return (
    <li class="entity-edge">
      <p class="entity-edge-said">
        {first && <span class="hint">{relation} </span>}
        <a href={linkTo("graph", other.id, elsewhere())}><bdi>{other.name}</bdi></a>
        {!first && <span class="hint"> {relation} <bdi>{edge.toName}</bdi></span>}
      </p>
      <Meter label={words.weight} share={edge.weight} />
      <details class="entity-evidence" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{words.saidBy(Number(edge.memories))}</summary>
        <p class="hint">{words.weight} {percent(edge.weight)} · {words.certainty} {percent(edge.confidence)} · {words.verified} <When at={edge.verifiedAt} /></p>
        {open && <Evidence evidence={edge.evidence} />}
      </details>
    </li>
  );
}
