// Follows the vault: by the stream of changes if possible, else by polling.
import { batch, signal } from "@preact/signals";
import { lines } from "../api/stream";
import type { Change } from "../api/types";
import { ofUser } from "../api/user";

const KEPT = 30;
const GATHER_MS = 250;
const POLL_MS = 15_000;

// Increases with every change; views that depend on it reload.
export const version = signal(0);
export const recent = signal<readonly Change[]>([]);
export const live = signal(false);

let gathering: ReturnType<typeof setTimeout> | undefined;

// Combines many changes at once into one reload.
function changed(): void {
  gathering ??= setTimeout(() => {
    gathering = undefined;
    version.value += 1;
  }, GATHER_MS);
}

async function follow(stop: AbortSignal): Promise<void> {
  type Message = { cursor: string; change?: Change };
  let cursor = "";
  const messages = () => lines<Message>(ofUser("memories:watch"), { cursor, includeMemory: true }, stop);
  while (!stop.aborted) {
    try {
      for await (const message of messages()) {
        cursor = message.cursor;
        live.value = true;
        if (message.change) tell(message.change);
      }
    } catch {
      if (stop.aborted) return;
      cursor = "";
    }
    live.value = false;
    await new Promise((done) => setTimeout(done, POLL_MS));
    if (!stop.aborted) changed();
  }
}

function tell(change: Change): void {
  batch(() => (recent.value = [change, ...recent.value].slice(0, KEPT)));
  changed();
}

// Follows one vault at a time until stopped. A hidden page closes its stream, because browsers open only a few connections
// to a server for all of their pages.
export function startLive(): () => void {
  let stop = new AbortController();
  const begin = () => void follow((stop = new AbortController()).signal);
  const seen = () => {
    stop.abort();
    live.value = false;
    if (document.hidden) return;
    begin();
    changed();
  };
  recent.value = [];
  begin();
  document.addEventListener("visibilitychange", seen);
  return () => {
    stop.abort();
    document.removeEventListener("visibilitychange", seen);
  };
}
