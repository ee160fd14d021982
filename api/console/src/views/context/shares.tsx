// How the budget is used, as one bar of the parts.
import type { Context } from "../../api/types";
import { t, word } from "../../i18n";
import { number } from "../../i18n/format";

// The order determines the colours: add new parts at the end.
export const PARTS = [
  "CONTEXT_PART_CORE", "CONTEXT_PART_WISHES", "CONTEXT_PART_GOALS", "CONTEXT_PART_RECALLED", "CONTEXT_PART_TURNS", "CONTEXT_PART_SNAPSHOTS",
];

export function tone(part: string): string {
  return `part-${PARTS.indexOf(part)}`;
}

function tokensOf({ items }: Context, part: string): number {
  const own = items.filter((item) => item.part === part);
  return own.reduce((sum, item) => sum + Number(item.endToken) - Number(item.startToken), 0);
}

export function Shares({ answer }: { answer: Context }) {
  const words = t.value.context;
  const all = Math.max(Number(answer.budgetTokens), 1);
  const parts = PARTS.map((part) => ({ part, tokens: tokensOf(answer, part) })).filter(({ tokens }) => tokens > 0);
  return (
    <section class="shares" aria-label={words.shares}>
      <p class="shares-said" role="status">{words.used(number(answer.tokens), number(answer.budgetTokens))}</p>
      <div class="shares-bar" aria-hidden="true">
        {parts.map(({ part, tokens }) => <span key={part} class={tone(part)} style={{ width: `${(tokens / all) * 100}%` }} />)}
      </div>
      <ul class="shares-list">
        {parts.map(({ part, tokens }) => (
          <li key={part}><span class={`swatch ${tone(part)}`} aria-hidden="true" />{word(t.value.words.part, part)} <span class="shares-tokens">{number(tokens)}</span></li>
        ))}
      </ul>
      {answer.leftOut.length > 0 && (
        <p class="left-out"><strong>{words.leftOut}</strong> {answer.leftOut.map(({ items, part }) => words.leftItems(items, word(t.value.words.part, part))).join(", ")}</p>
      )}
    </section>
  );
}
