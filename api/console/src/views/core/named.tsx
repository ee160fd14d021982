// A block or a file: an editor, and its versions.
import { useEffect, useState } from "preact/hooks";
import { goBack, readNamed, removeBlock, updateBlock, write } from "../../api/named";
import { forget, restore } from "../../api/memories";
import type { Memory } from "../../api/types";
import { t } from "../../i18n";
import { number } from "../../i18n/format";
import { useLoad } from "../../state/load";
import { go } from "../../state/route";
import { failed, said } from "../../state/toasts";
import { Loading, Refusal } from "../../ui/notes";
import { Versions } from "./versions";

interface Of {
  name: string;
  readOnly: boolean;
  again: () => void;
}

function isBlock(name: string): boolean {
  return name.startsWith("core/");
}

// A block is written with the call for blocks, which checks the bounds of core memory.
function save({ name, etag }: Memory, content: string): Promise<unknown> {
  return isBlock(name) ? updateBlock(name.slice("core/".length), { content }, etag) : write(name, content, etag);
}

export function Named({ name, readOnly, again }: Of) {
  const words = t.value.core;
  const [turn, setTurn] = useState(0);
  const { data, error } = useLoad((signal) => readNamed(name, signal), [name, turn]);
  const [text, setText] = useState<string>();
  const memory = data?.memory;
  useEffect(() => setText(memory?.content), [memory]);
  if (error) return <Refusal error={error} />;
  if (!memory || text === undefined) return <Loading />;
  const reread = () => (setTurn((before) => before + 1), again());
  const submit = (event: Event) => {
    event.preventDefault();
    save(memory, text).then(() => (said(t.value.toasts.saved, () => goBack(name, "0").then(reread)), reread())).catch(failed);
  };
  const removeIt = async () => {
    await (isBlock(name) ? removeBlock(name.slice("core/".length)) : forget(memory.id));
    said(t.value.toasts.forgotten, () => restore(memory.id).then(again));
    again();
    go("core");
  };
  const dirty = text !== memory.content;
  return (
    <article class="file" aria-label={name}>
      <h2 class="file-name"><bdi>{name}</bdi>{readOnly && <span class="state">{words.readOnly}</span>}</h2>
      <form onSubmit={submit}>
        <label class="hidden" for="file-text">{words.text}</label>
        <textarea id="file-text" class="input is-text file-text" dir="auto" readOnly={readOnly} value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <div class="actions">
          <button type="submit" class="button is-main" disabled={!dirty || readOnly}>{t.value.common.save}</button>
          {!readOnly && <button type="button" class="button is-quiet" onClick={() => void removeIt().catch(failed)}>{words.remove}</button>}
          <span class="hint">{dirty ? words.unsaved : number(text.length)}</span>
        </div>
      </form>
      <Versions name={name} turn={turn} reread={reread} />
    </article>
  );
}
