// The text itself, each item in the colour of its part.
import type { Context } from "../../api/types";
import { t } from "../../i18n";
import { pieces } from "./bytes";
import { tone } from "./shares";

export function Text({ answer, picked }: { answer: Context; picked: string | undefined }) {
  return (
    <pre class="prompt" tabIndex={0} role="region" aria-label={t.value.context.text}>
      {pieces(answer.text, answer.items).map(({ text, item }, n) =>
        item ? <span key={n} class={`piece ${tone(item.part)}${item.id === picked ? " is-picked" : ""}`}>{text}</span> : <span key={n} class="piece-frame">{text}</span>,
      )}
    </pre>
  );
}
