// Why a search found it: the parts of its score by name, as the api gives them.
import type { Found, RecallExplanation } from "../../api/types";
import { t, word } from "../../i18n";
import { number, percent, score } from "../../i18n/format";
import { NamedBars, type NamedShare } from "../../ui/bar";

// Summands come first, then factors, of which 1 has no effect.
const STRENGTHS = ["words", "vectors", "neighbours"];
const FACTORS = ["time", "roles", "form"];
const SHARES = ["fuse", "weigh", "relevance"];

function bars(parts: Record<string, number>): NamedShare[] {
  const strongest = Math.max(...STRENGTHS.map((name) => parts[name] ?? 0), 1);
  const said = (name: string) => word(t.value.words.stage, name);
  const strengths = STRENGTHS.filter((name) => (parts[name] ?? 0) > 0).map((name) => {
    const value = parts[name] ?? 0;
    return { name: said(name), share: value / strongest, value: number(value, 1) };
  });
  const factors = FACTORS.filter((name) => (parts[name] ?? 1) !== 1).map((name) => {
    const value = parts[name] ?? 1;
    return { name: said(name), share: value / 2, value: `× ${number(value, 2)}` };
  });
  const shares = SHARES.filter((name) => name in parts).map((name) => {
    const value = parts[name] ?? 0;
    return { name: said(name), share: value, value: name === "weigh" ? `+ ${number(value, 2)}` : percent(value) };
  });
  return [...strengths, ...factors, ...shares];
}

export function WhyFound({ found, explanation }: { found: Found; explanation: RecallExplanation }) {
  const words = t.value.detail;
  const by = explanation.foundBy.map((way) => word(t.value.words.foundBy, way)).join(", ");
  return (
    <section class="part">
      <h2>{words.whyFound}<span class="part-number">{score(found.score)}</span></h2>
      <p class="hint">{words.foundBy(by)}</p>
      <NamedBars bars={bars(explanation.parts)} label={words.whyFound} />
    </section>
  );
}
