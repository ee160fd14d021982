// Renders only those rows of a long list that are near the window.
import { Virtualizer, elementScroll, observeElementOffset, observeElementRect, type VirtualizerOptions } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

export function useVirtual(count: number, rowHeight: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, draw] = useReducer((turn: number, _: void) => turn + 1, 0);
  const options: VirtualizerOptions<HTMLDivElement, HTMLElement> = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => draw(),
  };
  const [virtualizer] = useState(() => new Virtualizer(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return { scroller, rows: virtualizer.getVirtualItems(), height: virtualizer.getTotalSize(), virtualizer };
}
