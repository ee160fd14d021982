// Corrections of an entity; each can be undone.
import { useState } from "preact/hooks";
import { dismissEntity, entities, merge, rename } from "../../api/graph";
import type { Entity } from "../../api/types";
import { t, word } from "../../i18n";
import { useLoad } from "../../state/load";
import { go } from "../../state/route";
import { Field } from "../../ui/field";
import { rule } from "./rule";
import { elsewhere } from "./shown";

const MOST = 1_000;

type Saying = "rename" | "merge";

export function Actions({ entity }: { entity: Entity }) {
  const words = t.value.graph;
  const [saying, say] = useState<Saying>();
  const { id } = entity;
  const close = () => say(undefined);
  const dismiss = () =>
    void rule(words.dismissed, () => dismissEntity(id).then(() => go("graph", "", elsewhere())), () => dismissEntity(id, true));
  const button = (which: Saying) => (
    <button type="button" class="button" aria-expanded={saying === which} onClick={() => say(saying === which ? undefined : which)}>
      {words[which]}
    </button>
  );
  return (
    <div class="entity-actions">
      <div class="actions">
        {button("rename")}
        {button("merge")}
        <button type="button" class="button is-quiet" title={words.dismissHint} onClick={dismiss}>{words.dismiss}</button>
      </div>
      {saying === "rename" && <Rename entity={entity} close={close} />}
      {saying === "merge" && <Merge entity={entity} close={close} />}
    </div>
  );
}

interface Of {
  entity: Entity;
  close: () => void;
}

function Rename({ entity, close }: Of) {
  const words = t.value.graph;
  const [name, setName] = useState(entity.name);
  const submit = (event: Event) => {
    event.preventDefault();
    close();
    void rule(words.renamed, () => rename(entity.id, name.trim()), () => rename(entity.id, ""));
  };
  return (
    <form class="new-name" onSubmit={submit}>
      <Field label={words.newName} hint={words.newNameHint}>
        {(of) => <input {...of} class="input" dir="auto" required pattern=".*\S.*" maxLength={64} value={name} onInput={(e) => setName(e.currentTarget.value)} />}
      </Field>
      <Buttons text={words.rename} close={close} />
    </form>
  );
}

function Merge({ entity, close }: Of) {
  const words = t.value.graph;
  const { data } = useLoad((stop) => entities("", "", MOST, stop), [entity.id]);
  const [other, setOther] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    close();
    void rule(words.merged, () => merge(entity.id, other), () => merge(entity.id, other, true));
  };
  const others = data?.entities.filter(({ id }) => id !== entity.id) ?? [];
  return (
    <form class="new-name" onSubmit={submit}>
      <Field label={words.other} hint={words.otherHint}>
        {(of) => (
          <select {...of} class="input" required value={other} onChange={(e) => setOther(e.currentTarget.value)}>
            <option value="" />
            {others.map(({ id, name, type }) => <option key={id} value={id}>{name} · {word(t.value.words.entityType, type)}</option>)}
          </select>
        )}
      </Field>
      <Buttons text={words.merge} close={close} />
    </form>
  );
}

function Buttons({ text, close }: { text: string; close: () => void }) {
  return (
    <div class="actions">
      <button type="submit" class="button is-main">{text}</button>
      <button type="button" class="button is-quiet" onClick={close}>{t.value.common.cancel}</button>
    </div>
  );
}
