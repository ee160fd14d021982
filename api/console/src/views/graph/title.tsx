// What the panel is about. What was clicked is gone or in a drawing: those who use keys go on from here.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Title({ children }: { children: ComponentChildren }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    title.current?.focus({ preventScroll: true });
    // On a phone it stands below the drawing.
    title.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return <h2 id="entity-title" class="entity-title" ref={title} tabIndex={-1}>{children}</h2>;
}
