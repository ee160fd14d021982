// Pages of the list for one entity. The api has no such filter but lists the memories that name it: longer pages are filtered here.
import { entity } from "../../api/graph";
import { list, type Narrow } from "../../api/memories";
import type { Memory } from "../../api/types";

// Small enough to be parsed between two frames.
const PAGE = 200;
// The size of pages that are filtered, and how many matches are enough.
const LONG_PAGE = 1_000;
const ENOUGH = 40;
// Most mentions that the api returns per entity, newest first.
export const MOST_MENTIONS = 1_000;

interface Named {
  ids: ReadonlySet<string>;
  // Whether older mentions are missing.
  truncated: boolean;
}

// The memories that name the entity; undefined if none is selected.
export async function named(narrow: Narrow, signal: AbortSignal): Promise<Named | undefined> {
  if (narrow.entity === "") return undefined;
  const { mentions, truncated } = await entity(narrow.entity, MOST_MENTIONS, signal);
  return { ids: new Set(mentions.map(({ memoryId }) => memoryId)), truncated };
}

export async function page(narrow: Narrow, pageToken: string, signal: AbortSignal) {
  const naming = await named(narrow, signal);
  if (!naming) return { ...(await list(narrow, pageToken, PAGE, signal)), truncated: false };
  const { ids, truncated } = naming;
  const memories: Memory[] = [];
  let nextPageToken = pageToken;
  do {
    const read = await list(narrow, nextPageToken, LONG_PAGE, signal);
    memories.push(...read.memories.filter(({ id }) => ids.has(id)));
    nextPageToken = read.nextPageToken;
  } while (nextPageToken !== "" && memories.length < ENOUGH);
  // Ends once all memories that name it are found.
  return { memories, nextPageToken: memories.length >= ids.size ? "" : nextPageToken, truncated };
}
