// One decision: the memory, the reason in a word and in a sentence, and a way to keep the memory.
import { update } from "../../api/memories";
import type { Decision, Memory } from "../../api/types";
import { t, word } from "../../i18n";
import { bytes, score } from "../../i18n/format";
import { linkTo } from "../../state/route";
import { failed, said } from "../../state/toasts";
import { Tier } from "../../ui/marks";
import { Said } from "../../ui/said";

interface Of {
  decision: Decision;
  memory: Memory | undefined;
  again: () => void;
}

export function Decided({ decision, memory, again }: Of) {
  const words = t.value.tonight;
  const id = decision.memoryId;
  const keep = () => {
    update(id, { protected: true })
      .then(() => (said(t.value.toasts.protected, () => update(id, { protected: false }).then(again)), again()))
      .catch(failed);
  };
  return (
    <li class="decision">
      <div class="decision-main">
        <a class="decision-text" href={linkTo("memories", id)}>
          {memory ? <Said text={memory.content.slice(0, 240)} /> : <code>{id}</code>}
        </a>
        <p class="decision-why"><strong>{word(t.value.words.reason, decision.reason)}</strong> {decision.explanation}</p>
      </div>
      <div class="decision-side">
        <Tier tier={decision.tier} />
        <span class="decision-score">{words.score} {score(decision.score)} · {bytes(decision.sizeBytes)}</span>
        {decision.action === "DECISION_ACTION_ARCHIVE" && (
          <button type="button" class="button" onClick={keep} title={words.keepHint}>{words.keep}</button>
        )}
      </div>
    </li>
  );
}
