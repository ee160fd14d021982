// Shares as bars: one bar filled partly, or several with names.
import { percent, score } from "../i18n/format";

interface MeterOf {
  label: string;
  share: number;
  tone?: string;
}

export function Meter({ label, share, tone = "accent" }: MeterOf) {
  const width = `${Math.min(Math.max(share, 0), 1) * 100}%`;
  return (
    <div class={`meter tone-${tone}`} role="img" aria-label={`${label}: ${percent(share)}`}>
      <span class="meter-fill" style={{ width }} />
    </div>
  );
}

export interface NamedShare {
  name: string;
  share: number;
  value?: string;
}

// Small bars with names and values, as a list that screen readers read in order.
export function NamedBars({ bars, label }: { bars: NamedShare[]; label: string }) {
  return (
    <ul class="bars" aria-label={label}>
      {bars.map(({ name, share, value }) => (
        <li key={name}>
          <span class="bars-name">{name}</span>
          <span class="bars-track"><span class="bars-fill" style={{ width: `${Math.min(Math.max(share, 0), 1) * 100}%` }} /></span>
          <span class="bars-value">{value ?? score(share)}</span>
        </li>
      ))}
    </ul>
  );
}
