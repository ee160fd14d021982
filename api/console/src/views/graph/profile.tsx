// Derived records about an entity: profiles and relationships.
import { list } from "../../api/memories";
import type { Entity, Memory } from "../../api/types";
import { t, word } from "../../i18n";
import { number, percent } from "../../i18n/format";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { linkTo } from "../../state/route";
import { When } from "../../ui/marks";
import { Said } from "../../ui/said";
import { NARROW_NOTHING } from "../memories/narrow";

const KINDS = ["KIND_PROFILE", "KIND_RELATIONSHIP"];
const MOST = 200;

interface Relationship {
  entity: string;
  type: string;
  trust: number;
  sentiment: number;
  interactions: string;
}

export function Profile({ entity }: { entity: Entity }) {
  const words = t.value.graph;
  const { data } = useLoad((stop) => list({ ...NARROW_NOTHING, kinds: KINDS }, "", MOST, stop), [entity.id, version.value]);
  const names = [entity.name, ...entity.aliases].map((name) => name.toLowerCase());
  const about = data?.memories.filter((memory) => [memory.subject, relationship(memory)?.entity].some((name) => names.includes(name?.toLowerCase() ?? ""))) ?? [];
  if (about.length === 0) return null;
  return (
    <section class="part">
      <h2>{words.profile}</h2>
      <ul class="lineage">
        {about.map((memory) => (
          <li key={memory.id}>
            <a href={linkTo("memories", memory.id)}><Said text={memory.content} /></a>
            <p class="review-marks"><Standing of={relationship(memory)} /><When at={memory.updatedAt} /></p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function relationship(memory: Memory): Relationship | undefined {
  return memory.detail?.["relationship"] as Relationship | undefined;
}

// Their relationship to the person, and its state.
function Standing({ of }: { of: Relationship | undefined }) {
  const words = t.value.graph;
  if (!of) return <span>{word(t.value.words.kind, "KIND_PROFILE")}</span>;
  return (
    <>
      {of.type !== "" && <bdi>{of.type}</bdi>}
      <span>{words.trust} {percent(of.trust)}</span>
      <span>{words.sentiment} {number(of.sentiment, 1)}</span>
      <span>{words.met(Number(of.interactions))}</span>
    </>
  );
}
