// The entities and edges that list and drawing show.
import { signal } from "@preact/signals";
import { entities, neighbours, subgraph, type Subgraph } from "../../api/graph";
import type { EntityEdge } from "../../api/types";
import { currentQuery, queryValue } from "../../state/route";

const MOST = 200;
// Their ids are part of a URL, and some proxies limit its length.
const MOST_NAMED = 100;

export const DEPTHS = ["1", "2", "3"] as const;

export interface Asked {
  readonly search: string;
  readonly type: string;
  // The entity in the middle; empty for the most salient ones.
  readonly around: string;
  readonly depth: number;
}

// Increases with every correction of entities, which the stream of changes does not report.
export const ruled = signal(0);

// The key of an edge in the address.
export function keyOf({ fromId, relation, toId }: EntityEdge): string {
  return [fromId, relation, toId].join("~");
}

// The query without the selected edge, for links to something else.
export function elsewhere(): Record<string, string> {
  return { ...currentQuery(), edge: "" };
}

export function depthValue(): string {
  return DEPTHS.find((known) => known === queryValue("depth")) ?? "1";
}

export async function shown({ search, type, around, depth }: Asked, stop: AbortSignal): Promise<Subgraph> {
  if (around !== "") {
    const near = await neighbours(around, depth, MOST_NAMED - 1, stop);
    const of = near.neighbours.map((one) => one.entity).filter((entity) => type === "" || entity.type === type);
    const drawn = await subgraph([around, ...of.map(({ id }) => id)], 0, stop);
    return { ...drawn, truncated: near.truncated || drawn.truncated };
  }
  if (search === "" && type === "") return subgraph([], MOST, stop);
  const page = await entities(search, type, MOST_NAMED, stop);
  const ids = page.entities.map(({ id }) => id);
  if (ids.length === 0) return { entities: [], edges: [], truncated: false };
  return { ...(await subgraph(ids, 0, stop)), truncated: page.nextPageToken !== "" };
}
