// The title of the panel. It takes the focus, because the clicked element is gone or in a drawing.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Title({ children }: { children: ComponentChildren }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    title.current?.focus({ preventScroll: true });
    // On a phone it is below the drawing.
    title.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return <h2 id="entity-title" class="entity-title" ref={title} tabIndex={-1}>{children}</h2>;
}
