// The search field, and notes of the search.
import { t } from "../../i18n";
import { number } from "../../i18n/format";
import { Icon } from "../../ui/icon";
import type { Listed } from "./list-state";
import { filterValue, setFilter } from "./narrow";
import { MOST_MENTIONS } from "./of-entity";

// The api accepts 8 KiB.
const MOST = 2_000;

export function Search({ listed, query }: { listed: Listed; query: string }) {
  const words = t.value.memories;
  return (
    <div class="search">
      <div class="search-field">
        <Icon name="search" />
        <input
          type="search"
          class="input"
          aria-label={words.search}
          placeholder={words.placeholder}
          maxLength={MOST}
          value={filterValue("q")}
          onInput={(event) => setFilter("q", event.currentTarget.value)}
        />
      </div>
      <p class="search-said" role="status">{said(listed, query)}</p>
    </div>
  );
}

function said({ recall, memories, more, truncated, loading }: Listed, query: string): string {
  const words = t.value.memories;
  if (loading && memories.length === 0) return t.value.common.loading;
  const partly = truncated ? [words.ofNewest(number(MOST_MENTIONS))] : [];
  if (query === "" || !recall) return [words.count(memories.length, more), ...partly].join(" · ");
  const corrected = recall.corrections.map((one) => words.corrected(one.word, one.replacements.join(", ")));
  const doubtful = recall.nothingRelevant && memories.length > 0 ? [words.doubtful] : [];
  return [words.found(memories.length), ...corrected, ...doubtful, ...partly].join(" · ");
}
