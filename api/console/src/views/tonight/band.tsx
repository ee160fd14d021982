// The next meditation in short: what it would do, the tiers before and after, and the button that starts it.
import type { Plan } from "../../api/types";
import { t, word } from "../../i18n";
import { bytes, number } from "../../i18n/format";
import { Running } from "./running";

interface Of {
  plan: Plan;
  again: () => void;
  setChanged: (changed: boolean) => void;
}

export function Band({ plan, again, setChanged }: Of) {
  const words = t.value.tonight;
  const { meditation, decisions } = plan;
  const spared = decisions.filter((decision) => decision.action === "DECISION_ACTION_SPARE").length;
  const [archived, erased] = [Number(meditation.archived), Number(meditation.pruned)];
  const room = Number(meditation.archivedBytes) + Number(meditation.prunedBytes);
  const quiet = archived + erased === 0;
  return (
    <section class="night" aria-label={words.title}>
      <svg class="night-moon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.5 10.5z" /></svg>
      {quiet ? (
        <div class="night-quiet">
          <p class="night-title">{words.quiet}</p>
          <p>{words.quietText}</p>
        </div>
      ) : (
        <dl class="night-counts">
          <div><dt>{words.archived}</dt><dd>{number(archived)}</dd></div>
          <div><dt>{words.erased}</dt><dd>{number(erased)}</dd></div>
          <div><dt>{words.spared}</dt><dd>{number(spared)}</dd></div>
        </dl>
      )}
      <ul class="night-tiers" aria-label={words.tiers}>
        {meditation.tiers.map((tier) => (
          <li key={tier.tier}>
            <span class="night-tier">{word(t.value.words.tier, tier.tier)}</span>
            <span class="night-track">
              <span class="night-before" style={{ width: share(tier.bytesBefore, tier.quotaBytes) }} />
              <span class="night-after" style={{ width: share(tier.bytesAfter, tier.quotaBytes) }} />
            </span>
            <span class="night-size">
              {tier.bytesBefore === tier.bytesAfter ? bytes(tier.bytesAfter) : `${bytes(tier.bytesBefore)} → ${bytes(tier.bytesAfter)}`}
            </span>
          </li>
        ))}
      </ul>
      {/* Without `key` the note of an empty plan would replace this element, and a running meditation would be lost. */}
      <div key="foot" class="night-foot">
        <Running plan={plan} quiet={quiet} again={again} setChanged={setChanged} />
        {!quiet && <p class="night-room">{words.frees(bytes(room))}</p>}
      </div>
    </section>
  );
}

// The part above the quota stays visible.
function share(used: string, quota: string): string {
  return `${Math.min(Number(used) / Math.max(Number(quota) * 1.5, 1), 1) * 100}%`;
}
