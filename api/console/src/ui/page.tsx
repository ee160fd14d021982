// The heading of a view, and its sections.
import type { ComponentChildren } from "preact";

export function Head({ title, lead, children }: { title: string; lead?: string; children?: ComponentChildren }) {
  return (
    <div class="head">
      <div>
        <h1>{title}</h1>
        {lead && <p class="lead">{lead}</p>}
      </div>
      {children && <div class="head-actions">{children}</div>}
    </div>
  );
}

interface Of {
  title: string;
  hint?: string;
  class?: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ title, hint, aside, children, ...rest }: Of) {
  return (
    <section class={`section ${rest.class ?? ""}`}>
      <div class="section-head">
        <h2>{title}</h2>
        {aside && <div class="section-aside">{aside}</div>}
      </div>
      {hint && <p class="hint">{hint}</p>}
      {children}
    </section>
  );
}
