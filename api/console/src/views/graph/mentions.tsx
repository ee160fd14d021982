// What memories say about an entity: known facts first, then everything by time.
import { peek } from "../../api/peek";
import type { EntityMention, Memory } from "../../api/types";
import { t, word } from "../../i18n";
import { useLoad } from "../../state/load";
import { linkTo } from "../../state/route";
import { When } from "../../ui/marks";
import { Quote } from "./quote";

const FACTS = 6;
const TIMES = 30;

export function Mentions({ mentions, more }: { mentions: EntityMention[]; more: boolean }) {
  const words = t.value.graph;
  // A memory may mention it more than once.
  const once = [...new Map(mentions.map((mention) => [mention.memoryId, mention])).values()];
  const facts = once.filter(({ stated }) => stated).slice(0, FACTS);
  const times = once.slice(0, TIMES);
  const ids = [...new Set([...facts, ...times].map(({ memoryId }) => memoryId))];
  const happened = new Map(once.map(({ memoryId, at }) => [memoryId, at]));
  const { data } = useLoad((stop) => peek(ids, stop, happened), [ids.join()]);
  return (
    <>
      {facts.length > 0 && (
        <section class="part">
          <h2>{words.facts}</h2>
          <ul class="lineage">{facts.map((mention) => <li key={mention.memoryId}><Words mention={mention} read={data} /></li>)}</ul>
        </section>
      )}
      <section class="part">
        <h2>{words.timeline}</h2>
        <ol class="timeline">
          {times.map((mention) => (
            <li key={mention.memoryId}>
              <span class="timeline-text">
                {mention.place !== "MENTION_PLACE_UNSPECIFIED" && <span class="lineage-relation">{word(words.places, mention.place)}</span>}
                <Words mention={mention} read={data} />
              </span>
              <When at={mention.at} />
            </li>
          ))}
        </ol>
        {(more || once.length > TIMES) && <p class="hint">{words.timelineMore}</p>}
      </section>
    </>
  );
}

function Words({ mention, read }: { mention: EntityMention; read: Map<string, Memory> | undefined }) {
  return (
    <a href={linkTo("memories", mention.memoryId)}>
      <Quote text={read?.get(mention.memoryId)?.content} id={read ? mention.memoryId : ""} />
    </a>
  );
}
