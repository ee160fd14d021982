// Core memory and files: read, edit in place, list versions.
import { get, patch, post, remove } from "./client";
import type { Context, Memory, NamedRecord, Receipt, Version } from "./types";
import { ofUser } from "./user";

export function blocks(signal?: AbortSignal) {
  return get<{ blocks: Memory[]; bytes: string; limitBytes: string }>(ofUser("core/blocks"), {}, signal);
}

export function rendered(signal?: AbortSignal) {
  return get<{ text: string }>(ofUser("core:render"), {}, signal);
}

export function addBlock(label: string) {
  return post<{ receipt: Receipt }>(ofUser("core/blocks"), { label, content: "" });
}

export function updateBlock(label: string, fields: { content?: string; description?: string }, etag: string) {
  return patch<{ receipt: Receipt }>(ofUser(`core/blocks/${label}`), {}, { ...fields, etag });
}

export function removeBlock(label: string) {
  return remove<{ receipt: Receipt }>(ofUser(`core/blocks/${label}`));
}

export async function names(signal?: AbortSignal): Promise<NamedRecord[]> {
  const all: NamedRecord[] = [];
  for (let after = ""; ; after = all.at(-1)?.name ?? "") {
    type Page = { names: NamedRecord[]; more: boolean };
    const page: Page = await get<Page>(ofUser("names"), { limit: 1_000, after }, signal);
    all.push(...page.names);
    if (!page.more) return all;
  }
}

export function readNamed(name: string, signal?: AbortSignal) {
  return get<{ memory: Memory }>(ofUser("named"), { name, peek: true }, signal);
}

export function write(name: string, whole: string, etag: string) {
  return post<{ receipt: Receipt }>(ofUser("named:edit"), { name, whole, etag });
}

export function versions(name: string, signal?: AbortSignal) {
  return get<{ versions: Version[] }>(ofUser("named/versions"), { name }, signal);
}

export function diff(name: string, fromVersion: string, signal?: AbortSignal) {
  return get<{ diff: string }>(ofUser("named:diff"), { name, fromVersion }, signal);
}

export function goBack(name: string, toVersion: string) {
  return post<{ receipt: Receipt }>(ofUser("named:undo"), { name, toVersion });
}

export interface Ask {
  query: string;
  sessionId: string;
  budgetTokens: number;
  parts?: string[];
}

export function context(ask: Ask, signal?: AbortSignal) {
  return post<Context>(ofUser("context"), { ...ask, peek: true }, signal);
}
