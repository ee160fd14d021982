// Asks for a name and adds a block or file.
import { useState } from "preact/hooks";
import { t } from "../../i18n";
import { Field } from "../../ui/field";
import { Icon } from "../../ui/icon";

interface Of {
  button: string;
  label: string;
  hint: string;
  pattern?: string;
  add: (name: string) => void;
}

export function NewName({ button, label, hint, pattern, add }: Of) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  if (!open) return <button type="button" class="button is-quiet" onClick={() => setOpen(true)}><Icon name="plus" />{button}</button>;
  const submit = (event: Event) => {
    event.preventDefault();
    add(name);
    setOpen(false);
    setName("");
  };
  return (
    <form class="new-name" onSubmit={submit}>
      <Field label={label} hint={hint}>
        {(id) => <input {...id} class="input" required pattern={pattern} maxLength={1_024} value={name} onInput={(e) => setName(e.currentTarget.value)} />}
      </Field>
      <div class="actions">
        <button type="submit" class="button is-main">{t.value.core.add}</button>
        <button type="button" class="button is-quiet" onClick={() => setOpen(false)}>{t.value.common.cancel}</button>
      </div>
    </form>
  );
}
