// The filters of the list, stored in the address for links and the back button.
import { useMemo } from "preact/hooks";
import type { Narrow } from "../../api/memories";
import { queryValue, route, setQuery, stay } from "../../state/route";

// The filters as they are in the address.
export const FILTERS = ["tier", "kind", "layer", "state", "tag", "subject", "entity", "speaker", "session", "from", "to", "importance", "ended"] as const;
export type Filter = (typeof FILTERS)[number];

export const filterValue = (filter: Filter | "q"): string => queryValue(filter);

export const setFilter = (filter: Filter | "q", value: string): void => setQuery(filter, value);

export function clearFilters(): void {
  stay("memories", route.value.rest, { q: filterValue("q") });
}

const several = (value: string) => (value === "" ? [] : value.split(","));
// A day in the format of date fields; anything else in the address is ignored.
const day = (value: string) => (Number.isNaN(Date.parse(`${value}T00:00:00`)) ? "" : value);

function narrowed(value: (filter: Filter) => string): Narrow {
  return {
    tiers: several(value("tier")),
    kinds: several(value("kind")),
    layers: several(value("layer")),
    states: several(value("state")),
    tag: value("tag"),
    subject: value("subject"),
    entity: value("entity"),
    speaker: value("speaker"),
    session: value("session"),
    from: day(value("from")),
    to: day(value("to")),
    importance: Number(value("importance")) || 0,
    ended: value("ended") !== "",
  };
}

export const NARROW_NOTHING = narrowed(() => "");

export function useNarrow(): Narrow {
  const asked = FILTERS.map(filterValue).join("\n");
  return useMemo(() => narrowed(filterValue), [asked]);
}
