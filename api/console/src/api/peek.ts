// Reads many memories by id with few lists. Memories that lists do not find within bounds are left out.
import { get, type Query } from "./client";
import type { Memory } from "./types";
import { ofUser } from "./user";

const PAGE = 1_000;
const MOST_PAGES = 20;
// How far the time in an id may differ from the memory's creation time.
const APART_MS = 2;
const TOGETHER_MS = 1_000;
const DAY_MS = 86_400_000;
// No memory is older than Kimberly.
const FIRST = Date.UTC(2024, 0, 1);
const STATES = ["MEMORY_STATE_ACTIVE", "MEMORY_STATE_ARCHIVED", "MEMORY_STATE_DELETED"];

interface Place {
  id: string;
  at: number;
}

// Ids contain a UUID of version 7, which begins with the time in milliseconds. But ids of messages that came with ids are digests,
// which contain no time.
function createdAt(id: string): number | undefined {
  const at = Number.parseInt(id.replace("mem_", "").replace("-", "").slice(0, 12), 16);
  return at > FIRST && at < Date.now() + DAY_MS ? at : undefined;
}

// Groups memories of nearly the same time, so that one list finds them.
function together(places: readonly Place[]): Place[][] {
  const groups: Place[][] = [];
  for (const place of [...places].sort((a, b) => a.at - b.at)) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group && before && place.at - before.at < TOGETHER_MS) group.push(place);
    else groups.push([place]);
  }
  return groups;
}

async function find(ids: readonly string[], narrow: Query, into: Map<string, Memory>, signal?: AbortSignal): Promise<void> {
  const wanted = new Set(ids);
  const query = { ...narrow, "filter.states": STATES, "filter.anyTime": true, pageSize: PAGE };
  let pageToken = "";
  for (let page = 0; page < MOST_PAGES && wanted.size > 0; page++) {
    type Page = { memories: Memory[]; nextPageToken: string };
    const read: Page = await get<Page>(ofUser("memories"), { ...query, pageToken }, signal);
    for (const memory of read.memories) {
      if (wanted.delete(memory.id)) into.set(memory.id, memory);
    }
    pageToken = read.nextPageToken;
    if (pageToken === "") return;
  }
}

async function findAt(what: "created" | "occurred", places: readonly Place[], into: Map<string, Memory>, signal?: AbortSignal): Promise<void> {
  for (const group of together(places)) {
    const time = (place: Place | undefined, after: number) => new Date((place?.at ?? 0) + after).toISOString();
    const range = { [`filter.${what}After`]: time(group[0], -APART_MS), [`filter.${what}Before`]: time(group.at(-1), APART_MS + 1) };
    await find(group.map(({ id }) => id), range, into, signal);
  }
}

// Returns those that exist and that the caller may see. `happened` has times of occurrence of some; without it, messages whose ids
// contain no time are searched among the newest ones.
export async function peek(ids: readonly string[], signal?: AbortSignal, happened: ReadonlyMap<string, string> = new Map()): Promise<Map<string, Memory>> {
  const found = new Map<string, Memory>();
  const [created, occurred, others]: [Place[], Place[], string[]] = [[], [], []];
  for (const id of new Set(ids.filter((one) => one.startsWith("mem_")))) {
    const [at, then] = [createdAt(id), Date.parse(happened.get(id) ?? "")];
    if (at !== undefined) created.push({ id, at });
    else if (Number.isFinite(then)) occurred.push({ id, at: then });
    else others.push(id);
  }
  await findAt("created", created, found, signal);
  await findAt("occurred", occurred, found, signal);
  await find(others, { "filter.kinds": ["KIND_TURN"] }, found, signal);
  return found;
}
