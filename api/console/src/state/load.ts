// Loads data for a view, reloads it when its inputs change, and drops outdated answers.
import { useCallback, useEffect, useState } from "preact/hooks";

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly loading: boolean;
  readonly again: () => void;
}

export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const [data, setData] = useState<T>();
  const [error, setError] = useState<unknown>();
  const [loading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setLoading(true);
    load(stop.signal)
      .then((loaded) => {
        if (stop.signal.aborted) return;
        setData(loaded);
        setError(undefined);
      })
      .catch((failure: unknown) => {
        if (!stop.signal.aborted) setError(failure);
      })
      .finally(() => {
        if (!stop.signal.aborted) setLoading(false);
      });
    return () => stop.abort();
  }, [...on, turn]);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  return { data, error, loading, again };
}
