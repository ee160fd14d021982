// Actions on all selected memories.
import { erase, forget, restore, update } from "../../api/memories";
import { t } from "../../i18n";
import { failed, later, said } from "../../state/toasts";

// Concurrent calls; more would only wait in the api.
const AT_ONCE = 8;

async function each(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < ids.length; start += AT_ONCE) await Promise.all(ids.slice(start, start + AT_ONCE).map(act));
}

export function Bulk({ picked, clear }: { picked: ReadonlySet<string>; clear: () => void }) {
  const words = t.value;
  const ids = [...picked];
  const doAll = (act: (id: string) => Promise<unknown>, back: (id: string) => Promise<unknown>) => () => {
    clear();
    each(ids, act)
      .then(() => said(words.toasts.many(ids.length), () => each(ids, back)))
      .catch(failed);
  };
  const eraseAll = () => {
    clear();
    later(words.toasts.erasing(ids.length), async () => {
      for (let start = 0; start < ids.length; start += 100) await erase(ids.slice(start, start + 100));
    });
  };
  const protect = (on: boolean) => (id: string) => update(id, { protected: on });
  return (
    <div class="bulk" role="group" aria-label={words.memories.selected(ids.length)}>
      <span class="bulk-count">{words.memories.selected(ids.length)}</span>
      <button type="button" class="button" onClick={doAll(protect(true), protect(false))}>{words.detail.protect}</button>
      <button type="button" class="button" onClick={doAll(forget, restore)}>{words.detail.forget}</button>
      <button type="button" class="button" onClick={doAll(restore, forget)}>{words.detail.restore}</button>
      <button type="button" class="button is-danger" onClick={eraseAll}>{words.detail.erase}</button>
      <button type="button" class="button is-quiet" onClick={clear}>{words.common.cancel}</button>
    </div>
  );
}
