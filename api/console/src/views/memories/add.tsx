// Adds a memory by hand.
import { useRef, useState } from "preact/hooks";
import { forget, remember } from "../../api/memories";
import { t } from "../../i18n";
import { failed, said } from "../../state/toasts";
import { Field } from "../../ui/field";
import { Icon } from "../../ui/icon";

export function Add() {
  const words = t.value.memories;
  const dialog = useRef<HTMLDialogElement>(null);
  const [content, setContent] = useState("");
  const add = async (event: Event) => {
    event.preventDefault();
    try {
      const { receipt } = await remember({ content });
      setContent("");
      dialog.current?.close();
      said(t.value.toasts.remembered, () => forget(receipt.id));
    } catch (error) {
      failed(error);
    }
  };
  return (
    <>
      <button type="button" class="button is-main" onClick={() => dialog.current?.showModal()}><Icon name="plus" />{words.add}</button>
      <dialog class="dialog" ref={dialog} aria-label={words.add}>
        <form onSubmit={(event) => void add(event)}>
          <Field label={words.addLabel} hint={words.addHint}>
            {(id) => <textarea {...id} class="input is-text" rows={5} required value={content} onInput={(e) => setContent(e.currentTarget.value)} />}
          </Field>
          <div class="actions">
            <button type="submit" class="button is-main">{words.add}</button>
            <button type="button" class="button is-quiet" onClick={() => dialog.current?.close()}>{t.value.common.cancel}</button>
          </div>
        </form>
      </dialog>
    </>
  );
}
