// The current view, stored behind the hash: "#/memories/mem_…?q=tea". Links and the back button work as usual.
import { signal } from "@preact/signals";
import { user } from "./session";

export const VIEWS = ["overview", "memories", "tonight", "review", "graph", "core", "context"] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  readonly view: View;
  // The part behind the view, such as an id.
  readonly rest: string;
  readonly query: URLSearchParams;
}

export const route = signal<Route>(read());

function read(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [first = "", ...rest] = path.split("/").map(decode);
  const view = VIEWS.find((known) => known === first) ?? "overview";
  return { view, rest: rest.join("/"), query: new URLSearchParams(query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

window.addEventListener("hashchange", () => (route.value = read()));

// A link names the user whose memory it shows, so that it can be copied and opened elsewhere.
export function linkTo(view: View, rest = "", query: Record<string, string> = {}, whose = user.value): string {
  const named = Object.entries({ ...query, user: whose });
  const search = new URLSearchParams(named.filter(([, value]) => value !== "")).toString();
  const path = rest === "" ? view : `${view}/${encodeURIComponent(rest)}`;
  return `#/${path}${search === "" ? "" : `?${search}`}`;
}

export function go(view: View, rest = "", query: Record<string, string> = {}): void {
  location.hash = linkTo(view, rest, query);
}

// Changes the route without a history entry, for example while typing.
export function stay(view: View, rest: string, query: Record<string, string>): void {
  history.replaceState(null, "", linkTo(view, rest, query));
  route.value = read();
}

// The query of the address: one value, all of it, and a copy with one value set.
export function queryValue(name: string): string {
  return route.value.query.get(name) ?? "";
}

export function currentQuery(): Record<string, string> {
  return Object.fromEntries(route.value.query);
}

export function setQuery(name: string, value: string): void {
  stay(route.value.view, route.value.rest, { ...currentQuery(), [name]: value });
}
