// Who is signed in, and whose memory is shown. The key is kept only for this tab and never in a cookie.
import { batch, signal } from "@preact/signals";

const KEY = "kimberly.key";
const USER = "kimberly.user";
const LINK = "kimberly.link";

// The key of a link that opens once, and its name (`api/link`).
export interface Link {
  readonly once: string;
  readonly key: string;
}

// The result of a failed link: it is used up, or it must be tried again.
export type Trouble = "linkSpent" | "linkWaits";

takeKey();
export const key = signal(sessionStorage.getItem(KEY) ?? "");
export const user = signal(fromAddress("user") ?? localStorage.getItem(USER) ?? "");
// Whether the api refused a call because of a missing or wrong key.
export const refused = signal(false);
// A link to be opened; after a reload it is tried again.
export const link = signal(keptLink());
export const trouble = signal<Trouble>();

function fromAddress(name: string): string | undefined {
  const [, query = ""] = location.hash.split("?");
  return new URLSearchParams(query).get(name) ?? undefined;
}

// `kimberly up` and `kimberly console` print links with the user and a key behind the hash:
// "#/?user=ana&once=console-7f&key=kmb_...". The key is removed from the address, and so from the history, at once. One without
// a name is permanent, and is kept unchanged.
function takeKey(): boolean {
  const secret = fromAddress("key");
  if (secret === undefined) return false;
  const once = fromAddress("once");
  sessionStorage.removeItem(LINK);
  if (once === undefined) sessionStorage.setItem(KEY, secret);
  else sessionStorage.setItem(LINK, JSON.stringify({ once, key: secret } satisfies Link));
  changeAddress((query) => (query.delete("once"), query.delete("key")));
  return true;
}

function keptLink(): Link | undefined {
  const kept = sessionStorage.getItem(LINK);
  return kept === null ? undefined : (JSON.parse(kept) as Link);
}

// Shows the memory of a user: now, after a reload, and in tabs that open later without naming one.
export function show(whose: string): void {
  user.value = whose;
  if (whose === "") return;
  localStorage.setItem(USER, whose);
  if (fromAddress("user") !== whose) changeAddress((query) => query.set("user", whose));
}

function changeAddress(change: (query: URLSearchParams) => void): void {
  const [path = "", query = ""] = location.hash.split("?");
  const rest = new URLSearchParams(query);
  change(rest);
  history.replaceState(history.state, "", `${path === "" ? "#/" : path}?${rest.toString()}`);
}

export function signIn(whose: string, secret: string): void {
  sessionStorage.removeItem(LINK);
  sessionStorage.setItem(KEY, secret);
  batch(() => {
    key.value = secret;
    show(whose);
    refused.value = false;
    link.value = undefined;
    trouble.value = undefined;
  });
}

export function signOut(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(USER);
  key.value = "";
  user.value = "";
  location.hash = "#/";
}

export function signedOut(): void {
  refused.value = true;
}

// A link that failed to open. If it may open later, it is kept for a reload.
export function notOpened(why: Trouble): void {
  if (why === "linkSpent") sessionStorage.removeItem(LINK);
  batch(() => {
    key.value = "";
    refused.value = true;
    link.value = undefined;
    trouble.value = why;
  });
}

// A link to another user's memory in a tab with an open console changes only the hash, and so does one with a key.
window.addEventListener("hashchange", () => {
  const whose = fromAddress("user") ?? user.value;
  if (!takeKey()) return show(whose);
  const next = keptLink();
  if (next === undefined) signIn(whose, sessionStorage.getItem(KEY) ?? "");
  else batch(() => (show(whose), (link.value = next)));
});

show(user.value);
