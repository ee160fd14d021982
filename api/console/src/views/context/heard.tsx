// A message as it was read: sentences that would be stored, and why others would not.
import type { Judged, Learned, LeftOut, Message, Statement } from "../../api/conversations";
import { t, word } from "../../i18n";
import { pieces } from "./bytes";

interface Of {
  message: Message;
  learned: Learned | undefined;
  at: number;
  picked: string | undefined;
  pick: (key: string | undefined) => void;
}

type Span = { startByte: number; endByte: number; keys: string[]; reason?: string };

// The verdicts on the sentences of a span, with what speaks most for them.
function verdicts(judged: readonly Judged[], { startByte, endByte }: Span): string {
  const inside = judged.filter((claim) => startByte <= claim.startByte && claim.endByte <= endByte);
  return inside.map(({ probability, owner, polarity, slot, reasons }) => [`${probability.toFixed(2)} ${[owner, polarity, slot].filter(Boolean).join(", ")}`, ...reasons].join("\n")).join("\n\n");
}

// One span per sentence, in the order of the text; a sentence may yield several memories.
function spans(statements: readonly Statement[], leftOut: readonly LeftOut[], at: number): Span[] {
  const kept = new Map<number, Span>();
  statements.forEach(({ startByte, endByte }, n) => {
    const same = kept.get(startByte);
    if (same) same.keys.push(`${at} ${n}`);
    else kept.set(startByte, { startByte, endByte, keys: [`${at} ${n}`] });
  });
  const left = leftOut.map(({ startByte, endByte, reason }) => ({ startByte, endByte, keys: [], reason }));
  return [...kept.values(), ...left].sort((a, b) => a.startByte - b.startByte);
}

export function Heard({ message, learned, at, picked, pick }: Of) {
  const words = t.value.learn;
  const read = pieces(message.content, spans(learned?.statements ?? [], learned?.leftOut ?? [], at));
  return (
    <li class="heard-message">
      <p class="heard-who"><bdi>{message.name ?? word(words.roles, message.role)}</bdi></p>
      <p class="said heard-text" dir="auto">
        {read.map(({ text, item }, n) => {
          if (!item) return <span key={n}>{text}</span>;
          const [key] = item.keys;
          const why = verdicts(learned?.judged ?? [], item);
          if (item.reason !== undefined) return <span key={n} class="heard-left" title={why}>{text} <span class="heard-why">{word(words.why, item.reason)}</span></span>;
          return (
            <mark key={n} title={why} class={picked !== undefined && item.keys.includes(picked) ? "is-picked" : ""} onMouseEnter={() => pick(key)} onMouseLeave={() => pick(undefined)}>
              {text}
            </mark>
          );
        })}
      </p>
    </li>
  );
}
