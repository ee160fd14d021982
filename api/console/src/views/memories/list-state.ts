// The contents of the list: pages that load while scrolling, or search results.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { recall, type Narrow } from "../../api/memories";
import type { Found, Memory, Recall } from "../../api/types";
import { named, page } from "./of-entity";

export interface Listed {
  readonly memories: readonly Memory[];
  readonly found: ReadonlyMap<string, Found>;
  readonly recall: Recall | undefined;
  readonly more: boolean;
  // Whether memories of the selected entity are missing.
  readonly truncated: boolean;
  readonly loading: boolean;
  readonly error: unknown;
  readonly next: () => void;
}

interface Shown {
  memories: Memory[];
  token: string;
  truncated: boolean;
  recall?: Recall;
  loading: boolean;
  error?: unknown;
}

const NOTHING: Shown = { memories: [], token: "", truncated: false, loading: true };

export function useListed(query: string, narrow: Narrow, turn: number): Listed {
  const [shown, setShown] = useState<Shown>(NOTHING);
  const stop = useRef(new AbortController());
  const busy = useRef(false);

  useEffect(() => {
    const own = new AbortController();
    stop.current = own;
    busy.current = true;
    setShown((before) => ({ ...before, loading: true }));
    first(query, narrow, own.signal)
      .then((read) => {
        if (!own.signal.aborted) setShown(read);
      })
      .catch((error: unknown) => {
        if (!own.signal.aborted) setShown({ ...NOTHING, loading: false, error });
      })
      .finally(() => (busy.current = false));
    return () => own.abort();
  }, [query, narrow, turn]);

  const next = useCallback(() => {
    if (busy.current || shown.token === "") return;
    busy.current = true;
    const own = stop.current;
    page(narrow, shown.token, own.signal)
      .then(({ memories, nextPageToken }) => {
        if (!own.signal.aborted) setShown((before) => ({ ...before, memories: before.memories.concat(memories), token: nextPageToken }));
      })
      .catch((error: unknown) => {
        if (!own.signal.aborted) setShown((before) => ({ ...before, error }));
      })
      .finally(() => (busy.current = false));
  }, [narrow, shown.token]);

  const found = new Map(shown.recall?.results.map((one) => [one.memory.id, one]));
  return { ...shown, recall: shown.recall, error: shown.error, found, more: shown.token !== "", next };
}

async function first(query: string, narrow: Narrow, signal: AbortSignal): Promise<Shown> {
  if (query !== "") {
    const recalled = await recall(query, narrow, signal);
    const naming = await named(narrow, signal);
    const memories = recalled.results.map((one) => one.memory).filter(({ id }) => naming?.ids.has(id) ?? true);
    return { memories, token: "", truncated: naming?.truncated ?? false, recall: recalled, loading: false };
  }
  const { memories, nextPageToken, truncated } = await page(narrow, "", signal);
  return { memories, token: nextPageToken, truncated, loading: false };
}
