// Edits a memory in place, or replaces it by a corrected one.
import { useState } from "preact/hooks";
import { correct, forget, update } from "../../api/memories";
import type { Memory } from "../../api/types";
import { t } from "../../i18n";
import { currentQuery, go } from "../../state/route";
import { failed, said } from "../../state/toasts";
import { Field } from "../../ui/field";

export type Editing = "edit" | "correct";

// Undoes a correction as `CorrectMemory` documents: deletes the new one and reactivates the old one.
async function takeBack(old: string, corrected: string): Promise<void> {
  await forget(corrected);
  await update(old, { validTo: null });
}

async function save(memory: Memory, editing: Editing, content: string, reason: string): Promise<void> {
  if (editing === "edit") {
    await update(memory.id, { content }, memory.etag);
    said(t.value.toasts.saved, () => update(memory.id, { content: memory.content }));
    return;
  }
  const { receipt } = await correct(memory.id, content, reason);
  said(t.value.toasts.corrected, () => takeBack(memory.id, receipt.id));
  go("memories", receipt.id, currentQuery());
}

export function Editor({ memory, editing, done }: { memory: Memory; editing: Editing; done: () => void }) {
  const words = t.value.detail;
  const [content, setContent] = useState(memory.content);
  const [reason, setReason] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    save(memory, editing, content, reason).then(done).catch(failed);
  };
  return (
    <form class="editor" onSubmit={submit}>
      <Field label={words.content} hint={editing === "correct" ? words.correctHint : undefined}>
        {(id) => <textarea {...id} class="input is-text" dir="auto" rows={6} required value={content} onInput={(e) => setContent(e.currentTarget.value)} />}
      </Field>
      {editing === "correct" && (
        <Field label={words.reason}>
          {(id) => <input {...id} class="input" maxLength={300} value={reason} onInput={(e) => setReason(e.currentTarget.value)} />}
        </Field>
      )}
      <div class="actions">
        <button type="submit" class="button is-main">{editing === "correct" ? words.correct : t.value.common.save}</button>
        <button type="button" class="button is-quiet" onClick={done}>{t.value.common.cancel}</button>
      </div>
    </form>
  );
}
