// Who looks, and at whose memory. The key is kept for this tab alone and never in a cookie.
import { signal } from "@preact/signals";

const KEY = "kimberly.key";
const USER = "kimberly.user";

export const key = signal(fromLink("key") ?? sessionStorage.getItem(KEY) ?? "");
export const user = signal(fromLink("user") ?? localStorage.getItem(USER) ?? "");
if (user.value !== "") localStorage.setItem(USER, user.value);
// Whether the api asked for a key that it takes.
export const refused = signal(false);

// `kimberly up` and `kimberly console` print links with the user and a key behind the hash: "#/?user=ana&key=kmb_...". The key
// leaves the address, and so the history, at once.
function fromLink(name: string): string | undefined {
  const [path = "", query = ""] = location.hash.split("?");
  const said = new URLSearchParams(query);
  const value = said.get(name) ?? undefined;
  if (name === "key" && value !== undefined) {
    said.delete("key");
    history.replaceState(history.state, "", `${path}?${said.toString()}`);
    sessionStorage.setItem(KEY, value);
  }
  return value;
}

export function signIn(whose: string, secret: string): void {
  sessionStorage.setItem(KEY, secret);
  localStorage.setItem(USER, whose);
  key.value = secret;
  user.value = whose;
  refused.value = false;
}

export function signOut(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(USER);
  key.value = "";
  user.value = "";
}

export function signedOut(): void {
  refused.value = true;
}

// The same link in a tab where the console is open changes only the hash.
window.addEventListener("hashchange", () => {
  const secret = fromLink("key");
  if (secret !== undefined) signIn(fromLink("user") ?? user.value, secret);
});
