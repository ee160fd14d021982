// What Kimberly is least certain of.
import { invalidate, uncertain, update, verify } from "../../api/memories";
import { t } from "../../i18n";
import { percent } from "../../i18n/format";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { user } from "../../state/session";
import { failed, said } from "../../state/toasts";
import { Meter } from "../../ui/bar";
import { Empty, Refusal } from "../../ui/notes";
import { Section } from "../../ui/page";
import { Item } from "./item";

export function Uncertain() {
  const words = t.value.review;
  const { data, error, again } = useLoad(uncertain, [user.value, version.value]);
  const isTrue = (id: string) => verify(id).then(() => (said(t.value.toasts.verified), again())).catch(failed);
  const isFalse = (id: string) => {
    const back = () => update(id, { validTo: null }).then(again);
    invalidate(id, "").then(() => (said(t.value.toasts.invalidated, back), again())).catch(failed);
  };
  const found = data?.memories ?? [];
  return (
    <Section title={words.uncertain} hint={words.uncertainHint} aside={<span class="count">{found.length}</span>}>
      {error ? <Refusal error={error} again={again} /> : null}
      {data && found.length === 0 && <Empty text={words.uncertainEmpty} />}
      <ul class="review-list">
        {found.map((memory) => (
          <Item key={memory.id} memory={memory} mark={<Certainty confidence={memory.confidence ?? 1} />}>
            <button type="button" class="button" onClick={() => void isTrue(memory.id)}>{words.isTrue}</button>
            <button type="button" class="button" onClick={() => isFalse(memory.id)}>{words.isFalse}</button>
          </Item>
        ))}
      </ul>
    </Section>
  );
}

function Certainty({ confidence }: { confidence: number }) {
  return (
    <span class="certainty">
      <Meter label={t.value.detail.confidence} share={confidence} tone="long_term" />
      {percent(confidence)}
    </span>
  );
}
