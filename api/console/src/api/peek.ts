// Memories of which only ids are known, read by lists: `GetMemory` would count as use, and looking at a plan would change it.
import { get } from "./client";
import type { Memory } from "./types";
import { ofUser } from "./user";

const PAGE = 500;
const MOST_PAGES = 20;
// How far an id's time may be from when the memory was created.
const APART_MS = 2;
const STATES = ["MEMORY_STATE_ACTIVE", "MEMORY_STATE_ARCHIVED", "MEMORY_STATE_DELETED"];

// Ids hold a UUID of version 7, which begins with the time in milliseconds.
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

// Those that are there and that the caller may see.
export async function peek(ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Memory>> {
  const found = new Map<string, Memory>();
  for (const group of together(ids.filter((id) => id.startsWith("mem_")))) await peekGroup(group, found, signal);
  return found;
}
