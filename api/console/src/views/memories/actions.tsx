// Actions on a memory. Each can be undone; those that cannot are delayed.
import { erase, forget, restore, update, verify } from "../../api/memories";
import type { Memory } from "../../api/types";
import { t } from "../../i18n";
import { failed, later, said } from "../../state/toasts";
import type { Editing } from "./editor";

interface Of {
  memory: Memory;
  edit: (editing: Editing) => void;
  again: () => void;
}

export function Actions({ memory, edit, again }: Of) {
  const { detail: words, toasts } = t.value;
  const act = (text: string, done: () => Promise<unknown>, back?: () => Promise<unknown>) => () => {
    const undo = back && (() => back().then(again));
    done().then(() => (said(text, undo), again())).catch(failed);
  };
  const { id } = memory;
  const protect = (on: boolean) => () => update(id, { protected: on });
  const eraseNow = () => later(toasts.erasing(1), () => erase([id]).then(again));
  if (memory.state !== "MEMORY_STATE_ACTIVE") {
    return (
      <div class="actions">
        <button type="button" class="button is-main" onClick={act(toasts.restored, () => restore(id), () => forget(id))}>{words.restore}</button>
        <button type="button" class="button is-danger" onClick={eraseNow}>{words.erase}</button>
      </div>
    );
  }
  const on = memory.protected;
  return (
    <div class="actions">
      <button type="button" class="button" onClick={() => edit("edit")}>{words.edit}</button>
      <button type="button" class="button" onClick={() => edit("correct")}>{words.correct}</button>
      {(memory.confidence ?? 1) < 1 && <button type="button" class="button" onClick={act(toasts.verified, () => verify(id))}>{words.confirm}</button>}
      <button type="button" class="button" onClick={act(on ? toasts.unprotected : toasts.protected, protect(!on), protect(on))}>{on ? words.unprotect : words.protect}</button>
      <button type="button" class="button" onClick={act(toasts.forgotten, () => forget(id), () => restore(id))}>{words.forget}</button>
      <button type="button" class="button is-danger" onClick={eraseNow}>{words.erase}</button>
    </div>
  );
}
