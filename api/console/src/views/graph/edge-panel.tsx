// One edge: the relation of two entities, and the memories that state it.
import type { Subgraph } from "../../api/graph";
import type { EntityEdge } from "../../api/types";
import { t, word } from "../../i18n";
import { percent } from "../../i18n/format";
import { linkTo, route } from "../../state/route";
import { Meter } from "../../ui/bar";
import { Icon } from "../../ui/icon";
import { When } from "../../ui/marks";
import { Empty, Loading } from "../../ui/notes";
import { Evidence } from "./evidence";
import { elsewhere, keyOf } from "./shown";
import { Title } from "./title";

export function EdgePanel({ edge, graph }: { edge: string; graph: Subgraph | undefined }) {
  const words = t.value.graph;
  const found = graph?.edges.find((one) => keyOf(one) === edge);
  const { rest } = route.value;
  return (
    <article class="entity-panel" aria-labelledby={found && "entity-title"}>
      <a class="back" href={linkTo("graph", rest, elsewhere())}><Icon name="back" />{rest === "" ? words.all : words.back}</a>
      {!graph && <Loading />}
      {graph && !found && <Empty text={words.edgeMissing} />}
      {found && <Shown edge={found} />}
      {found && <Others edges={graph?.edges.filter((one) => one !== found && joins(one, found)) ?? []} />}
    </article>
  );
}

function joins(one: EntityEdge, other: EntityEdge): boolean {
  const [from, to] = [other.fromId, other.toId];
  return (one.fromId === from && one.toId === to) || (one.fromId === to && one.toId === from);
}

// Other relations of the same two entities, which share the line.
function Others({ edges }: { edges: EntityEdge[] }) {
  if (edges.length === 0) return null;
  return (
    <section class="part">
      <h2>{t.value.graph.alsoBetween}</h2>
      <ul class="entity-edges">
        {edges.map((edge) => (
          <li key={keyOf(edge)} class="entity-edge">
            <a class="entity-edge-said" href={linkTo("graph", route.value.rest, { ...elsewhere(), edge: keyOf(edge) })}>
              <bdi>{edge.fromName}</bdi> {word(t.value.words.entityRelation, edge.relation)} <bdi>{edge.toName}</bdi>
            </a>
            <Meter label={t.value.graph.weight} share={edge.weight} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Shown({ edge }: { edge: EntityEdge }) {
  const words = t.value.graph;
  const of = (id: string, name: string) => <a href={linkTo("graph", id, elsewhere())}><bdi>{name}</bdi></a>;
  const shown = Number(edge.memories) - edge.evidence.length;
  return (
    <>
      <Title>{of(edge.fromId, edge.fromName)} <span class="edge-relation">{word(t.value.words.entityRelation, edge.relation)}</span> {of(edge.toId, edge.toName)}</Title>
      <div class="edge-strength"><Meter label={words.weight} share={edge.weight} /></div>
      <p class="review-marks">
        <span>{words.weight} {percent(edge.weight)}</span>
        <span>{words.certainty} {percent(edge.confidence)}</span>
        <span>{words.verified} <When at={edge.verifiedAt} /></span>
      </p>
      <section class="part">
        <h2>{words.saidBy(Number(edge.memories))}</h2>
        <Evidence evidence={edge.evidence} />
        {shown > 0 && <p class="hint">{words.timelineMore}</p>}
      </section>
    </>
  );
}
