// Preview of what extraction learns from a conversation; nothing is stored.
import { useState } from "preact/hooks";
import { type Learned, type Message, MOST_MESSAGES, wouldLearn } from "../../api/conversations";
import { t } from "../../i18n";
import { number } from "../../i18n/format";
import { useRested } from "../../state/debounce";
import { useLoad } from "../../state/load";
import { user } from "../../state/session";
import { Field } from "../../ui/field";
import { Empty, Loading, Refusal } from "../../ui/notes";
import { messagesOf } from "./conversation";
import { Found } from "./found";

const REST_MS = 400;

interface Read {
  pasted: string;
  messages: Message[];
  learned: Learned[];
  // The number of messages, of which only the first ones are read.
  all: number;
}

async function read(pasted: string, signal: AbortSignal): Promise<Read> {
  const all = messagesOf(pasted);
  const messages = all.slice(0, MOST_MESSAGES);
  const learned = messages.length === 0 ? [] : (await wouldLearn(messages, signal)).extracted;
  return { pasted, messages, learned, all: all.length };
}

export function Learn() {
  const words = t.value.learn;
  const [pasted, paste] = useState("");
  const rested = useRested(pasted, REST_MS);
  const { data, error } = useLoad((signal) => read(rested, signal), [user.value, rested]);
  return (
    <>
      <div class="learn-paste">
        <Field label={words.pasted} hint={words.pastedHint}>
          {(of) => <textarea {...of} class="input is-text" dir="auto" rows={6} placeholder={words.placeholder} value={pasted} onInput={(event) => paste(event.currentTarget.value)} />}
        </Field>
      </div>
      {error ? <Refusal error={error} /> : null}
      {pasted.trim() === ""
        ? <Empty title={words.emptyTitle} text={words.empty}><button type="button" class="button" onClick={() => paste(words.example)}>{words.tryExample}</button></Empty>
        : <Answer read={data} pasted={pasted} failed={Boolean(error)} />}
    </>
  );
}

function Answer({ read, pasted, failed }: { read: Read | undefined; pasted: string; failed: boolean }) {
  const words = t.value.learn;
  if (!read || read.messages.length === 0) {
    if (failed) return null;
    return read?.pasted === pasted ? <Empty text={words.noMessage} /> : <Loading />;
  }
  // There is one answer per message unless the server's extraction is off.
  if (read.learned.length === 0) return <p class="notice" role="status">{words.off}</p>;
  return (
    <>
      {read.all > MOST_MESSAGES && <p class="notice" role="status">{words.more(number(MOST_MESSAGES), number(read.all))}</p>}
      <Found messages={read.messages} learned={read.learned} />
    </>
  );
}
