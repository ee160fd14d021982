// Filters of the list, collapsed until needed.
import { useState } from "preact/hooks";
import { entities, entity } from "../../api/graph";
import { t } from "../../i18n";
import { useLoad } from "../../state/load";
import { user } from "../../state/session";
import { Icon } from "../../ui/icon";
import { FILTERS, clearFilters, filterValue, setFilter, type Filter } from "./narrow";

// Number of entities to choose from; others are selected in the graph.
const SHOWN = 100;

const FIRST: readonly Filter[] = ["tier", "kind", "layer", "state", "tag", "entity"];

export function Filters() {
  const words = t.value.memories;
  const [open, unfold] = useState(false);
  const used = FILTERS.filter((filter) => filterValue(filter) !== "");
  const further = used.some((filter) => !FIRST.includes(filter));
  return (
    <details class="filters" open={used.length > 0} onToggle={(event) => unfold(event.currentTarget.open)}>
      <summary><Icon name="filter" />{words.filters}{used.length > 0 && <span class="count">{used.length}</span>}</summary>
      <div class="filters-grid">
        <Choice filter="tier" label={words.tier} names={t.value.words.tier} />
        <Choice filter="kind" label={words.kind} names={t.value.words.kind} />
        <Choice filter="layer" label={words.layer} names={t.value.words.layer} />
        <Choice filter="state" label={words.state} names={t.value.words.state} />
        <Typed filter="tag" label={words.tag} />
        {(open || used.length > 0) && <OfEntity />}
      </div>
      <details class="filters" open={further}>
        <summary>{words.further}</summary>
        <div class="filters-grid">
          <Day filter="from" label={words.from} />
          <Day filter="to" label={words.to} />
          <Choice filter="importance" label={words.importance} names={{ 3: words.atLeast(3), 5: words.atLeast(5), 8: words.atLeast(8) }} />
          <Choice filter="ended" label={words.holds} none={words.holdsNow} names={{ also: words.holdsEver }} />
          <Typed filter="subject" label={words.subject} />
          <Typed filter="speaker" label={words.speaker} />
          <Typed filter="session" label={words.session} most={128} />
        </div>
      </details>
      {used.length > 0 && <button type="button" class="button is-quiet" onClick={clearFilters}>{words.clear}</button>}
    </details>
  );
}

interface ChoiceOf {
  filter: Filter;
  label: string;
  names: Record<string, string>;
  none?: string;
  value?: string;
}

function Choice({ filter, label, names, none, value = filterValue(filter) }: ChoiceOf) {
  return (
    <label class="filter">
      <span>{label}</span>
      <select class="input" value={value} onChange={(event) => setFilter(filter, event.currentTarget.value)}>
        <option value="">{none ?? t.value.memories.any}</option>
        {Object.entries(names).map(([name, said]) => <option key={name} value={name}>{said}</option>)}
      </select>
    </label>
  );
}

function Typed({ filter, label, most = 64 }: { filter: Filter; label: string; most?: number }) {
  return (
    <label class="filter">
      <span>{label}</span>
      <input class="input" maxLength={most} value={filterValue(filter)} onChange={(event) => setFilter(filter, event.currentTarget.value.trim())} />
    </label>
  );
}

function Day({ filter, label }: { filter: Filter; label: string }) {
  return (
    <label class="filter">
      <span>{label}</span>
      <input class="input" type="date" value={filterValue(filter)} onChange={(event) => setFilter(filter, event.currentTarget.value)} />
    </label>
  );
}

// The most prominent entities, and the selected one if it is not among them.
function OfEntity() {
  const chosen = filterValue("entity");
  const { data } = useLoad((stop) => entities("", "", SHOWN, stop), [user.value]);
  const other = useLoad(async (stop) => (chosen === "" ? undefined : (await entity(chosen, 1, stop)).entity), [chosen]);
  const listed = data?.entities ?? [];
  const isListed = other.data === undefined || listed.some(({ id }) => id === other.data?.id);
  const names = [...(isListed ? [] : [other.data]), ...listed].flatMap((one) => (one ? [[one.id, one.name]] : []));
  // The address may contain the id of any of its names.
  const value = other.data?.id ?? chosen;
  const shown = Object.fromEntries(value === "" || names.some(([id]) => id === value) ? names : [[value, "…"], ...names]);
  return <Choice filter="entity" label={t.value.memories.entity} names={shown} value={value} />;
}
