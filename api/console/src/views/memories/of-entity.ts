// Pages of the list. The api does not filter by entity, but tells which memories name one: of longer pages those are kept.
import { entity } from "../../api/graph";
import { list, type Narrow } from "../../api/memories";
import type { Memory } from "../../api/types";

// Small enough to be read between two frames.
const PAGE = 200;
// What is looked through, and how much is enough to show.
const LONG_PAGE = 1_000;
const ENOUGH = 40;
// As many as the api tells of one entity, the newest first.
export const MOST_MENTIONS = 1_000;

interface Named {
  ids: ReadonlySet<string>;
  // Whether older mentions are missing.
  truncated: boolean;
}

// The memories that name the entity; nothing where none was picked.
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
  // Once all that name it are found, nothing follows.
  return { memories, nextPageToken: memories.length >= ids.size ? "" : nextPageToken, truncated };
}
