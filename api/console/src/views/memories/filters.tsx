// Filters of the list, folded away until they are wanted.
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { FILTERS, clearFilters, filterValue, setFilter, type Filter } from "./narrow";

export function Filters() {
  const words = t.value.memories;
  const used = FILTERS.filter((filter) => filterValue(filter) !== "").length;
  return (
    <details class="filters" open={used > 0}>
      <summary><Icon name="filter" />{words.filters}{used > 0 && <span class="count">{used}</span>}</summary>
      <div class="filters-grid">
        <Choice filter="tier" label={words.tier} names={t.value.words.tier} />
        <Choice filter="kind" label={words.kind} names={t.value.words.kind} />
        <Choice filter="layer" label={words.layer} names={t.value.words.layer} />
        <Choice filter="state" label={words.state} names={t.value.words.state} />
        <Typed filter="tag" label={words.tag} />
        <Typed filter="subject" label={words.subject} />
        <Choice filter="since" label={words.since} none={words.anyTime} names={{ day: words.day, week: words.week, month: words.month }} />
        {used > 0 && <button type="button" class="button is-quiet" onClick={clearFilters}>{words.clear}</button>}
      </div>
    </details>
  );
}

function Choice({ filter, label, names, none }: { filter: Filter; label: string; names: Record<string, string>; none?: string }) {
  return (
    <label class="filter">
      <span>{label}</span>
      <select class="input" value={filterValue(filter)} onChange={(event) => setFilter(filter, event.currentTarget.value)}>
        <option value="">{none ?? t.value.memories.any}</option>
        {Object.entries(names).map(([name, said]) => <option key={name} value={name}>{said}</option>)}
      </select>
    </label>
  );
}

function Typed({ filter, label }: { filter: Filter; label: string }) {
  return (
    <label class="filter">
      <span>{label}</span>
      <input class="input" maxLength={64} value={filterValue(filter)} onChange={(event) => setFilter(filter, event.currentTarget.value.trim())} />
    </label>
  );
}
