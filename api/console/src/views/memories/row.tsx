// A memory in the list.
import type { Found, Memory } from "../../api/types";
import { t } from "../../i18n";
import { percent, score } from "../../i18n/format";
import { currentQuery, linkTo } from "../../state/route";
import { Icon } from "../../ui/icon";
import { Kind, State, Tier, Warm, When } from "../../ui/marks";
import { Said } from "../../ui/said";

// Enough for two lines.
const SHOWN = 280;

interface Of {
  memory: Memory;
  found: Found | undefined;
  query: string;
  index: number;
  start: number;
  size: number;
  current: boolean;
  picked: boolean;
  toggle: (id: string) => void;
}

export function Row({ memory, found, query, index, start, size, current, picked, toggle }: Of) {
  const place = { transform: `translateY(${start}px)` };
  return (
    <div class={current ? "row is-current" : "row"} role="listitem" aria-setsize={size} aria-posinset={index + 1} data-row={index} style={place}>
      <input type="checkbox" class="row-check" checked={picked} onChange={() => toggle(memory.id)} aria-label={`${t.value.memories.select}: ${memory.content.slice(0, 40)}`} />
      <a class="row-link" href={linkTo("memories", memory.id, currentQuery())} aria-current={current ? "true" : undefined}>
        <span class="row-text"><Said text={passage(memory, found)} query={query} /></span>
        <span class="row-marks">
          <Tier tier={memory.tier} />
          <Kind kind={memory.kind} />
          <State state={memory.state} />
          {memory.protected && <span class="row-shield"><Icon name="shield" /><span class="hidden">{t.value.detail.isProtected}</span></span>}
          <Warm warmth={memory.warmth} />
          <When at={memory.createdAt} />
          <span class="row-score" title={t.value.tonight.score}>{found ? percent(found.relevance) : score(memory.score)}</span>
        </span>
      </a>
    </div>
  );
}

// The best passage if the api gives one, else the beginning.
function passage(memory: Memory, found: Found | undefined): string {
  const best = found?.highlights[0];
  if (!best) return memory.content.slice(0, SHOWN);
  const bytes = new TextEncoder().encode(memory.content);
  return `… ${new TextDecoder().decode(bytes.slice(best.start, best.end))} …`;
}
