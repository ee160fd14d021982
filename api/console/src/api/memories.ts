// Memories: list, recall, change, delete, restore.
import { get, patch, post, remove } from "./client";
import type { Decision, HistoryEvent, Link, Memory, Recall, Receipt, RelatedMemory, ScoreExplanation, Warmth } from "./types";
import { ofUser } from "./user";

// Filters of a list or a search; empty members filter nothing.
export interface Narrow {
  tiers: string[];
  kinds: string[];
  layers: string[];
  states: string[];
  tag: string;
  subject: string;
  speaker: string;
  session: string;
  // Days in local time; the last one is included.
  from: string;
  to: string;
  importance: number;
  ended: boolean;
  // The id of an entity. The api has no filter for it, so lists are filtered here.
  entity: string;
}

const some = (value: string) => (value === "" ? [] : [value]);

function dayOf(day: string, after: number): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + after);
  return date.toISOString();
}

function filterOf(narrow: Narrow) {
  return {
    tiers: narrow.tiers,
    kinds: narrow.kinds,
    layers: narrow.layers,
    states: narrow.states,
    tagsAny: some(narrow.tag),
    subjects: some(narrow.subject),
    speakers: some(narrow.speaker),
    ...(narrow.session === "" ? {} : { sessionId: narrow.session }),
    ...(narrow.from === "" ? {} : { createdAfter: dayOf(narrow.from, 0) }),
    ...(narrow.to === "" ? {} : { createdBefore: dayOf(narrow.to, 1) }),
    ...(narrow.importance === 0 ? {} : { minImportance: narrow.importance }),
    ...(narrow.ended ? { anyTime: true } : {}),
  };
}

type ListedPage = { memories: Memory[]; warmth?: Warmth[]; nextPageToken: string };

// A page of memories, each with its temperature.
export async function list(narrow: Narrow, pageToken: string, pageSize: number, signal?: AbortSignal): Promise<ListedPage> {
  const filter = Object.entries(filterOf(narrow)).map(([name, value]) => [`filter.${name}`, value]);
  const query = { ...Object.fromEntries(filter), pageSize, pageToken, warmth: true };
  const page = await get<ListedPage>(ofUser("memories"), query, signal);
  page.memories.forEach((memory, n) => (memory.warmth = page.warmth?.[n]));
  return page;
}

export function recall(query: string, narrow: Narrow, signal?: AbortSignal) {
  const states = narrow.states.filter((state) => state !== "MEMORY_STATE_DELETED");
  const filter = { ...filterOf(narrow), states };
  return post<Recall>(ofUser("memories:query"), { query, topK: 50, explain: true, filter, peek: true }, signal);
}

export function read(id: string, signal?: AbortSignal) {
  type Read = { memory: Memory; scoreExplanation?: ScoreExplanation; warmth?: Warmth; decisions: Decision[] };
  return get<Read>(ofUser(`memories/${id}`), { explain: true, peek: true }, signal);
}

export function update(id: string, fields: Record<string, unknown>, etag?: string) {
  const query = { updateMask: Object.keys(fields).join(","), etag };
  return patch<{ receipt: Receipt }>(ofUser(`memories/${id}`), query, fields);
}

export function remember(memory: Record<string, unknown>) {
  return post<{ receipt: Receipt }>(ofUser("memories"), memory);
}

export function forget(id: string) {
  return remove<{ receipt: Receipt }>(ofUser(`memories/${id}`));
}

export function restore(id: string, protect = false) {
  return post<{ receipt: Receipt }>(ofUser(`memories/${id}:restore`), { protect });
}

export function erase(ids: string[]) {
  return post<{ ids: string[] }>(ofUser("memories:forget"), { ids });
}

export function correct(id: string, content: string, reason: string) {
  return post<{ receipt: Receipt }>(ofUser(`memories/${id}:correct`), { content, reason });
}

export function verify(id: string) {
  return post<{ confidence: number }>(ofUser(`memories/${id}:verify`), {});
}

export function history(id: string, signal?: AbortSignal) {
  return get<{ events: HistoryEvent[] }>(ofUser(`memories/${id}:history`), {}, signal);
}

export type Step = { link: Link; depth: number; direction: string };

export function lineage(id: string, signal?: AbortSignal) {
  return get<{ steps: Step[] }>(ofUser(`memories/${id}:lineage`), { limit: 50 }, signal);
}

export function related(id: string, signal?: AbortSignal) {
  return get<{ related: RelatedMemory[] }>(ofUser(`memories/${id}:related`), { limit: 6 }, signal);
}

export function unprocessed(signal?: AbortSignal) {
  return get<{ memories: Memory[] }>(ofUser("memories:unprocessed"), { limit: 100 }, signal);
}

export function promote(ids: string[], memory: Record<string, unknown>) {
  return post<{ receipt: Receipt }>(ofUser("memories:promote"), { ids, memory });
}
