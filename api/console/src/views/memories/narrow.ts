// What the list is narrowed to, kept in the address so that it can be linked to and gone back to.
import { useMemo } from "preact/hooks";
import type { Narrow } from "../../api/memories";
import { queryValue, route, setQuery, stay } from "../../state/route";

const DAYS: Record<string, number> = { day: 1, week: 7, month: 30 };
const DAY_MS = 86_400_000;

// The filters as the address has them.
export const FILTERS = ["tier", "kind", "layer", "state", "tag", "subject", "since"] as const;
export type Filter = (typeof FILTERS)[number];

export const filterValue = (filter: Filter | "q"): string => queryValue(filter);

export const setFilter = (filter: Filter | "q", value: string): void => setQuery(filter, value);

export function clearFilters(): void {
  stay("memories", route.value.rest, { q: filterValue("q") });
}

const several = (value: string) => (value === "" ? [] : value.split(","));

export function useNarrow(): Narrow {
  const asked = FILTERS.map(filterValue).join("\n");
  return useMemo(() => {
    const days = DAYS[filterValue("since")];
    return {
      tiers: several(filterValue("tier")),
      kinds: several(filterValue("kind")),
      layers: several(filterValue("layer")),
      states: several(filterValue("state")),
      tag: filterValue("tag"),
      subject: filterValue("subject"),
      since: days ? new Date(Date.now() - days * DAY_MS).toISOString() : "",
    };
  }, [asked]);
}
