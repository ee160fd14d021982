// What extraction finds in a conversation, and beside it each message as it was read.
import { useState } from "preact/hooks";
import type { Learned, Message } from "../../api/conversations";
import { t } from "../../i18n";
import { percent } from "../../i18n/format";
import { Kind } from "../../ui/marks";
import { Empty } from "../../ui/notes";
import { Section } from "../../ui/page";
import { Said } from "../../ui/said";
import { Heard } from "./heard";

export function Found({ messages, learned }: { messages: readonly Message[]; learned: readonly Learned[] }) {
  const words = t.value.learn;
  const [picked, pick] = useState<string>();
  const found = learned.flatMap((one, n) => one.statements.map((statement, at) => ({ ...statement, key: `${n} ${at}` })));
  return (
    <div class="context">
      <Section title={words.found} aside={<span class="count">{found.length}</span>}>
        {found.length === 0 && <Empty text={words.nothing} />}
        <ol class="context-list">
          {found.map((one) => (
            <li key={one.key} class={one.key === picked ? "learned is-picked" : "learned"} onMouseEnter={() => pick(one.key)} onMouseLeave={() => pick(undefined)}>
              <p class="context-words"><Said text={one.content} /></p>
              <p class="review-marks">
                <Kind kind={one.kind} />
                {one.subject !== "" && <span>{words.about} <bdi>{one.subject}</bdi></span>}
                <span>{words.sure(percent(one.confidence))}</span>
                <span>{words.importance(one.importance)}</span>
              </p>
            </li>
          ))}
        </ol>
      </Section>
      <Section title={words.said} hint={words.saidHint}>
        <ol class="heard">
          {messages.map((message, n) => <Heard key={n} {...{ message, learned: learned[n], at: n, picked, pick }} />)}
        </ol>
      </Section>
    </div>
  );
}
