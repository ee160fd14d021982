// Who looks, and at whose memory. The key is kept for this tab alone and never in a cookie.
import { signal } from "@preact/signals";

const KEY = "kimberly.key";
const USER = "kimberly.user";

export const key = signal(sessionStorage.getItem(KEY) ?? "");
export const user = signal(userFromLink() ?? localStorage.getItem(USER) ?? "");
if (user.value !== "") localStorage.setItem(USER, user.value);
// Whether the api asked for a key that it takes.
export const refused = signal(false);

// `kimberly up` prints a link that names the user behind the hash: "#/?user=ana".
function userFromLink(): string | undefined {
  return new URLSearchParams(location.hash.split("?")[1] ?? "").get("user") ?? undefined;
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
