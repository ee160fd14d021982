// Entities: lists, details, edges, and a person's corrections.
import { get, post } from "./client";
import type { Entity, EntityEdge, EntityRead } from "./types";
import { ofUser } from "./user";

export interface Subgraph {
  entities: Entity[];
  edges: EntityEdge[];
  truncated: boolean;
}

export function entities(search: string, type: string, pageSize: number, signal?: AbortSignal) {
  type Page = { entities: Entity[]; nextPageToken: string };
  const types = type === "" ? [] : [type];
  return get<Page>(ofUser("entities"), { search, types, pageSize }, signal);
}

export function entity(id: string, limit: number, signal?: AbortSignal) {
  return get<EntityRead>(ofUser(`entities/${id}`), { limit }, signal);
}

// The most salient ones if no ids are given.
export function subgraph(ids: readonly string[], limit: number, signal?: AbortSignal) {
  return get<Subgraph>(ofUser("graph"), ids.length > 0 ? { ids } : { limit }, signal);
}

export function neighbours(id: string, depth: number, limit: number, signal?: AbortSignal) {
  type Near = { neighbours: { entity: Entity }[]; truncated: boolean };
  return get<Near>(ofUser(`entities/${id}:neighbours`), { depth, limit }, signal);
}

type Ruled = { changed: boolean };

export function merge(id: string, otherId: string, undo = false) {
  return post<Ruled>(ofUser("entities:merge"), { id, otherId, undo });
}

export function split(id: string, otherId: string, undo = false) {
  return post<Ruled>(ofUser("entities:split"), { id, otherId, undo });
}

// Without a name it gets back the name that memories use.
export function rename(id: string, name: string) {
  return post<Ruled>(ofUser(`entities/${id}:rename`), { name, undo: name === "" });
}

export function dismissEntity(id: string, undo = false) {
  return post<Ruled>(ofUser(`entities/${id}:dismiss`), { undo });
}
