// A labelled field; screen readers read its hint too.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Of {
  label: string;
  hint?: string;
  children: (attributes: { id: string; "aria-describedby"?: string }) => ComponentChildren;
}

export function Field({ label, hint, children }: Of) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(hint ? { id, "aria-describedby": `${id}-hint` } : { id })}
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}
