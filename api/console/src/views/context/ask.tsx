// The query, its session and the budget.
import { t } from "../../i18n";
import { number } from "../../i18n/format";
import { Field } from "../../ui/field";

// Steps of the slider: each is about 1.5 times the one before.
export const BUDGETS = [50, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000, 16_000, 32_000];

interface Of {
  q: string;
  session: string;
  budget: number;
  setBudget: (budget: number) => void;
  set: (changed: Record<string, string>) => void;
}

export function Ask({ q, session, budget, setBudget, set }: Of) {
  const words = t.value.context;
  const tokens = words.tokens(number(BUDGETS[budget] ?? 0));
  return (
    <div class="ask">
      <Field label={words.question}>
        {(id) => <input {...id} class="input is-large" maxLength={2_000} placeholder={words.placeholder} value={q} onInput={(e) => set({ q: e.currentTarget.value })} />}
      </Field>
      <div class="ask-row">
        <Field label={words.session} hint={words.sessionHint}>
          {(id) => <input {...id} class="input" maxLength={128} value={session} onInput={(e) => set({ session: e.currentTarget.value })} />}
        </Field>
        <div class="field">
          <div class="ask-budget"><label for="budget">{words.budget}</label><output for="budget">{tokens}</output></div>
          <input
            id="budget"
            class="slider"
            type="range"
            min={0}
            max={BUDGETS.length - 1}
            value={budget}
            aria-valuetext={tokens}
            onInput={(event) => setBudget(Number(event.currentTarget.value))}
          />
        </div>
      </div>
    </div>
  );
}
