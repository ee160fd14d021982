// Items that wait for a person's decision, and the decisions.
import { get, post } from "./client";
import type { Memory } from "./types";
import { ofUser } from "./user";

export interface Review {
  id: string;
  kind: string;
  memories: Memory[];
  // Why it waits, in the api's words: shown for kinds that the console does not know.
  reason: string;
  proposes: string;
  // The text of the record that a promotion creates.
  makes: string;
  changes: string[];
  aroseAt: string;
}

// Enough items to work through at a time.
const SHOWN = 100;

// Items that wait for a decision.
export function reviews(signal?: AbortSignal): Promise<Review[]> {
  return listed({}, signal);
}

// What ended by itself, the latest first.
export function replaced(signal?: AbortSignal): Promise<Review[]> {
  return listed({ kinds: "REVIEW_KIND_REPLACED" }, signal);
}

// A page may be empty even if others follow.
async function listed(query: Record<string, string>, signal?: AbortSignal): Promise<Review[]> {
  type Page = { reviews: Review[]; nextPageToken: string };
  const found: Review[] = [];
  let pageToken = "";
  do {
    const page: Page = await get<Page>(ofUser("reviews"), { ...query, pageSize: SHOWN, pageToken }, signal);
    found.push(...page.reviews);
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && found.length < SHOWN);
  return found;
}

export function apply(id: string, choice: string) {
  return post<{ undoable: boolean }>(ofUser(`reviews/${id}:apply`), { choice });
}

export function dismiss(id: string) {
  return post<{ changed: boolean }>(ofUser(`reviews/${id}:dismiss`), {});
}

export function undo(id: string) {
  return post<{ changed: boolean }>(ofUser(`reviews/${id}:undo`), {});
}
