// The items of a context, why they are included, and where they are in the text.
import type { Context, ContextItem } from "../../api/types";
import { t, word } from "../../i18n";
import { number, percent } from "../../i18n/format";
import { linkTo } from "../../state/route";
import { Said } from "../../ui/said";
import { quoted } from "./bytes";
import { tone } from "./shares";

interface Of {
  answer: Context;
  picked: string | undefined;
  pick: (id: string | undefined) => void;
}

export function Items({ answer, picked, pick }: Of) {
  const bytes = new TextEncoder().encode(answer.text);
  return (
    <ol class="context-list">
      {answer.items.map((item) => (
        <li key={item.id} class={item.id === picked ? "context-item is-picked" : "context-item"} onMouseEnter={() => pick(item.id)} onMouseLeave={() => pick(undefined)}>
          <span class={`edge ${tone(item.part)}`} aria-hidden="true" />
          <div>
            <p class="context-words"><Words item={item} text={quoted(bytes, item)} /></p>
            <p class="review-marks">
              <span>{word(t.value.words.part, item.part)}</span>
              {item.part === "CONTEXT_PART_WISHES" && <span>{word(t.value.words.why, item.reason)}</span>}
              {item.relevance > 0 && <span>{t.value.context.relevance(percent(item.relevance))}</span>}
              <span>{t.value.context.tokens(number(Number(item.endToken) - Number(item.startToken)))}</span>
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}

function Words({ item, text }: { item: ContextItem; text: string }) {
  if (!item.id.startsWith("mem_")) return <Said text={text} />;
  return <a href={linkTo("memories", item.id)}><Said text={text} /></a>;
}
