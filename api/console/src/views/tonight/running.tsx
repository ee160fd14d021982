// Starts the meditation that was shown and follows it to its end.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../api/client";
import { restore } from "../../api/memories";
import { run, watch } from "../../api/nights";
import type { Plan } from "../../api/types";
import { t } from "../../i18n";
import { failed, said } from "../../state/toasts";

interface Of {
  plan: Plan;
  quiet: boolean;
  again: () => void;
  setChanged: (changed: boolean) => void;
}

type Progress = { done: number; all: number } | undefined;

// Protects them, because a tier over its quota would archive them again at once.
async function bringBack(ids: readonly string[]): Promise<void> {
  for (const id of ids) await restore(id, true);
  said(t.value.tonight.back);
}

export function Running({ plan, quiet, again, setChanged }: Of) {
  const words = t.value.tonight;
  const [progress, setProgress] = useState<Progress>();
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);

  const follow = async (id: string, all: number) => {
    const archived: string[] = [];
    for await (const event of watch(id, stop.current.signal)) {
      if (event.decision?.action === "DECISION_ACTION_ARCHIVE") archived.push(event.decision.memoryId);
      if (event.decision) setProgress((before) => ({ done: (before?.done ?? 0) + 1, all }));
      if (event.progress?.status === "MEDITATION_STATUS_FAILED") throw new Error(`${words.stopped} ${event.progress.error}`);
    }
    said(words.ran(archived.length), archived.length === 0 ? undefined : () => bringBack(archived));
  };
  const begin = async () => {
    const all = plan.decisions.length;
    setProgress({ done: 0, all });
    setChanged(false);
    try {
      const { meditation } = await run(plan.planToken);
      await follow(meditation.id, all);
    } catch (error) {
      if (error instanceof ApiError && error.reason === "PLAN_CHANGED") setChanged(true);
      else failed(error);
    } finally {
      setProgress(undefined);
      again();
    }
  };
  if (progress) {
    return <p class="night-progress" role="status">{progress.done === 0 ? words.waiting : words.running(progress.done, progress.all)}</p>;
  }
  return (
    <div class="actions">
      {!quiet && <button type="button" class="button is-night" onClick={() => void begin()}>{words.run}</button>}
      <button type="button" class="button is-night-quiet" onClick={again}>{words.replan}</button>
    </div>
  );
}
