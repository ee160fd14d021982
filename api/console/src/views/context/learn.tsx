// What would be learned from a conversation, word by word; nothing of it is stored.
import { useState } from "preact/hooks";
import { type Learned, type Message, wouldLearn } from "../../api/conversations";
import { t } from "../../i18n";
import { percent } from "../../i18n/format";
import { useRested } from "../../state/debounce";
import { useLoad } from "../../state/load";
import { user } from "../../state/session";
import { Kind } from "../../ui/marks";
import { Empty, Loading, Refusal } from "../../ui/notes";
import { Section } from "../../ui/page";
import { Said } from "../../ui/said";
import { Field } from "../../ui/field";
import { messagesOf } from "./conversation";
import { Heard } from "./heard";

const REST_MS = 400;

export function Learn() {
  const words = t.value.learn;
  const [pasted, paste] = useState("");
  const [picked, pick] = useState<string>();
  const rested = useRested(pasted, REST_MS);
  const messages = messagesOf(rested);
  const load = async (signal: AbortSignal) => (messages.length === 0 ? undefined : { messages, learned: (await wouldLearn(messages, signal)).extracted });
  const { data, error } = useLoad<{ messages: Message[]; learned: Learned[] } | undefined>(load, [user.value, rested]);
  const found = data?.learned.flatMap((one, n) => one.statements.map((statement, at) => ({ ...statement, key: `${n} ${at}` }))) ?? [];
  return (
    <>
      <div class="learn-paste">
        <Field label={words.pasted} hint={words.pastedHint}>
          {(of) => <textarea {...of} class="input is-text" dir="auto" rows={6} placeholder={words.placeholder} value={pasted} onInput={(event) => paste(event.currentTarget.value)} />}
        </Field>
      </div>
      {error ? <Refusal error={error} /> : null}
      {pasted.trim() === "" && <Empty title={words.emptyTitle} text={words.empty}><button type="button" class="button" onClick={() => paste(words.example)}>{words.tryExample}</button></Empty>}
      {pasted.trim() !== "" && !data && !error && <Loading />}
      {data && pasted.trim() !== "" && (
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
              {data.messages.map((message, n) => <Heard key={n} {...{ message, learned: data.learned[n], at: n, picked, pick }} />)}
            </ol>
          </Section>
        </div>
      )}
    </>
  );
}
