// The temperature of a memory, with its reason and inputs.
import type { Warmth } from "../../api/types";
import { t, word } from "../../i18n";
import { number } from "../../i18n/format";
import { NamedBars } from "../../ui/bar";
import { Warm } from "../../ui/marks";

export function Temperature({ warmth }: { warmth: Warmth }) {
  const words = t.value.detail;
  const connections = words.connections(Number(warmth.connections), Number(warmth.recentConnections));
  return (
    <section class="part">
      <h2>{words.temperature}<Warm warmth={warmth} /></h2>
      <p class="hint">{word(t.value.words.warmReason, warmth.reason)}. {warmth.daysSinceAccess < 1 ? words.usedToday : words.idle(number(warmth.daysSinceAccess))} {connections}</p>
      <NamedBars label={words.temperature} bars={[{ name: words.priority, share: warmth.priority }, { name: words.decay, share: warmth.decay }]} />
    </section>
  );
}
