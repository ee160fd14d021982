// Decisions of one kind, each with the memory's text and the reason.
import { useState } from "preact/hooks";
import type { Decision, Memory } from "../../api/types";
import { t } from "../../i18n";
import { Decided } from "./decided";

const AT_FIRST = 12;

interface Of {
  decisions: Decision[];
  known: ReadonlyMap<string, Memory> | undefined;
  again: () => void;
}

export function Group({ decisions, known, again }: Of) {
  const [shown, show] = useState(AT_FIRST);
  return (
    <>
      <ul class="decisions">
        {decisions.slice(0, shown).map((decision) => (
          <Decided key={decision.memoryId + decision.action} decision={decision} memory={known?.get(decision.memoryId)} again={again} />
        ))}
      </ul>
      {decisions.length > shown && (
        <button type="button" class="button is-quiet" onClick={() => show(shown + 50)}>{t.value.common.more} ({decisions.length - shown})</button>
      )}
    </>
  );
}
