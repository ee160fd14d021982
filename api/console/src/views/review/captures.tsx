// Captures that were not processed yet.
import { forget, promote, restore, unprocessed } from "../../api/memories";
import type { Memory } from "../../api/types";
import { t } from "../../i18n";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { user } from "../../state/session";
import { failed, said } from "../../state/toasts";
import { Empty, Refusal } from "../../ui/notes";
import { Section } from "../../ui/page";
import { Item } from "./item";

export function Captures() {
  const words = t.value.review;
  const { data, error, again } = useLoad(unprocessed, [user.value, version.value]);
  const make = async ({ id, content }: Memory) => {
    const { receipt } = await promote([id], { content, kind: "KIND_EPISODE" });
    said(t.value.toasts.promoted, () => forget(receipt.id).then(again));
    again();
  };
  const drop = async ({ id }: Memory) => {
    await forget(id);
    said(t.value.toasts.forgotten, () => restore(id).then(again));
    again();
  };
  const found = data?.memories ?? [];
  return (
    <Section title={words.raw} hint={words.rawHint} aside={<span class="count">{found.length}</span>}>
      {error ? <Refusal error={error} again={again} /> : null}
      {data && found.length === 0 && <Empty text={words.rawEmpty} />}
      <ul class="review-list">
        {found.map((memory) => (
          <Item key={memory.id} memory={memory}>
            <button type="button" class="button" onClick={() => void make(memory).catch(failed)}>{words.promote}</button>
            <button type="button" class="button is-quiet" onClick={() => void drop(memory).catch(failed)}>{t.value.detail.forget}</button>
          </Item>
        ))}
      </ul>
    </Section>
  );
}
