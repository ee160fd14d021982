// Meditations: plan, run, watch.
import { get, post } from "./client";
import { lines } from "./stream";
import type { Decision, Meditation, Plan } from "./types";
import { ofUser } from "./user";

export function plan(signal?: AbortSignal) {
  return post<Plan>(ofUser("meditations"), { dryRun: true }, signal);
}

// Runs exactly the plan that was shown, or fails with PLAN_CHANGED.
export function run(planToken: string) {
  return post<Plan>(ofUser("meditations"), { planToken });
}

export function nights(pageSize: number, signal?: AbortSignal) {
  return get<{ meditations: Meditation[] }>(ofUser("meditations"), { pageSize }, signal);
}

export function watch(id: string, signal: AbortSignal) {
  type Event = { progress?: Meditation; decision?: Decision };
  return lines<Event>(ofUser(`meditations/${id}:watch`), {}, signal);
}
