// Status: usage of the user, alerts of the installation.
import { get } from "./client";
import type { Alert, UserMetrics } from "./types";
import { user } from "../state/session";
import { ofUser } from "./user";

export async function metrics(signal?: AbortSignal): Promise<UserMetrics> {
  const { user: of } = await get<{ user: UserMetrics }>("v1/metrics", { userId: user.value }, signal);
  return of;
}

export function alerts(signal?: AbortSignal) {
  return get<{ alerts: Alert[] }>("v1/alerts", {}, signal);
}

export function server(signal?: AbortSignal) {
  return get<{ version: string; scoringVersion: string; features: string[]; defaultUser: string }>("v1/server", {}, signal);
}

// The users whose memory the key reaches: all, or none if it must not see the list.
export async function users(signal?: AbortSignal): Promise<string[]> {
  type Page = { users: { userId: string }[]; nextPageToken: string };
  const { users: found } = await get<Page>("v1/users", { pageSize: 1_000 }, signal);
  return found.map(({ userId }) => userId);
}

// Checks whether the key may read the user; the answer itself is not used.
export function mayEnter() {
  return get<unknown>(ofUser("settings"));
}
