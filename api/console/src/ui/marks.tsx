// Small badges of a memory: tier, kind, state, times.
import type { Warmth } from "../api/types";
import { t, word } from "../i18n";
import { moment, relative } from "../i18n/format";

export function Tier({ tier }: { tier: string }) {
  return <span class={`tier tier-${tier.replace("TIER_", "").toLowerCase()}`}>{word(t.value.words.tier, tier)}</span>;
}

export function Kind({ kind }: { kind: string }) {
  return <span class="kind">{word(t.value.words.kind, kind)}</span>;
}

export function State({ state }: { state: string }) {
  if (state === "MEMORY_STATE_ACTIVE") return null;
  return <span class="state">{word(t.value.words.state, state)}</span>;
}

// The temperature of a memory; the reason is a tooltip, and is always shown in its details.
export function Warm({ warmth }: { warmth: Warmth | undefined }) {
  const { temperature, warmReason } = t.value.words;
  if (!warmth) return null;
  const named = warmth.temperature.replace("TEMPERATURE_", "").toLowerCase();
  return <span class={`warm is-${named}`} title={word(warmReason, warmth.reason)}>{word(temperature, warmth.temperature)}</span>;
}

export function When({ at }: { at: string }) {
  return <time dateTime={at} title={moment(at)}>{relative(at)}</time>;
}
