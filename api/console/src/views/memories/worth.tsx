// The score as a bar of four signals, each as wide as its weight and filled by its value.
import type { ScoreExplanation } from "../../api/types";
import { t, word } from "../../i18n";
import { percent, score } from "../../i18n/format";

const SIGNALS = ["relevanceToGoals", "emotionalWeight", "predictiveValue", "recencyFreq"] as const;

export function Worth({ explanation }: { explanation: ScoreExplanation }) {
  const words = t.value.detail;
  return (
    <section class="part">
      <h2>{words.score}<span class="part-number">{score(explanation.score)}</span></h2>
      <p class="hint">{words.scoreHint}</p>
      <div class="worth" aria-hidden="true">
        {SIGNALS.map((signal, n) => (
          <span key={signal} class={`worth-part signal-${n}`} style={{ flexGrow: explanation.weights[signal] }}>
            <span class="worth-fill" style={{ width: `${explanation[signal] * 100}%` }} />
          </span>
        ))}
      </div>
      <ul class="worth-list">
        {SIGNALS.map((signal, n) => (
          <li key={signal}>
            <span class={`swatch signal-${n}`} aria-hidden="true" />
            <span>{word(t.value.words.signal, signal)}</span>
            <span class="worth-weight">{words.weight(percent(explanation.weights[signal]))}</span>
            <span class="bars-value">{score(explanation[signal])}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
