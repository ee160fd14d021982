// Memories of which only ids are known, read by lists: `GetMemory` would count as use, and looking at a plan would change it.
import { ApiError, get } from "./client";
import type { Memory } from "./types";
import { ofUser } from "./user";

const PAGE = 500;
const MOST_PAGES = 20;
// How far an id's time may be from when the memory was created.
const APART_MS = 2;
const DAY_MS = 86_400_000;
// No memory is older than Kimberly.
const FIRST = Date.UTC(2024, 0, 1);
const STATES = ["MEMORY_STATE_ACTIVE", "MEMORY_STATE_ARCHIVED", "MEMORY_STATE_DELETED"];

// Ids hold a UUID of version 7, which begins with the time in milliseconds; but those of messages that came with ids are digests, whose
// time is any.
function timeOf(id: string): number {
  return Number.parseInt(id.replace("mem_", "").replace("-", "").slice(0, 12), 16);
}

// Ids made at nearly the same time, so that one list finds them.
function together(ids: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (const id of [...ids].sort()) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group && before && timeOf(id) - timeOf(before) < 1_000) group.push(id);
    else groups.push([id]);
  }
  return groups;
}

async function peekGroup(ids: string[], into: Map<string, Memory>, signal?: AbortSignal): Promise<void> {
  const wanted = new Set(ids);
  const query = {
    "filter.createdAfter": new Date(timeOf(ids[0] ?? "") - APART_MS).toISOString(),
    "filter.createdBefore": new Date(timeOf(ids.at(-1) ?? "") + APART_MS + 1).toISOString(),
    "filter.states": STATES,
    "filter.anyTime": true,
    pageSize: PAGE,
  };
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

function mayTell(id: string): boolean {
  const at = timeOf(id);
  return at > FIRST && at < Date.now() + DAY_MS;
}

// What no list is known to hold. It counts as use.
async function open(id: string, into: Map<string, Memory>, signal?: AbortSignal): Promise<void> {
  try {
    into.set(id, (await get<{ memory: Memory }>(ofUser(`memories/${id}`), {}, signal)).memory);
  } catch (error) {
    // What was erased is left out.
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

// Those that are there and that the caller may see.
export async function peek(ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Memory>> {
  const found = new Map<string, Memory>();
  const all = [...new Set(ids.filter((id) => id.startsWith("mem_")))];
  for (const group of together(all.filter(mayTell))) await peekGroup(group, found, signal);
  await Promise.all(all.filter((id) => !found.has(id)).map((id) => open(id, found, signal)));
  return found;
}
