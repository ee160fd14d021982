// How full each tier and the archive are.
import type { TierUsage, UserMetrics } from "../../api/types";
import { t, word } from "../../i18n";
import { bytes, number } from "../../i18n/format";
import { linkTo } from "../../state/route";
import { Meter } from "../../ui/bar";

export function Tiers({ tiers, archive }: { tiers: TierUsage[]; archive: UserMetrics["archive"] }) {
  const words = t.value.overview;
  return (
    <ul class="tiers">
      {tiers.map((tier) => <Row key={tier.tier} tier={tier} />)}
      <li class="tiers-row">
        <a class="tiers-name" href={linkTo("memories", "", { state: "MEMORY_STATE_ARCHIVED" })}>{words.archive}</a>
        <span class="tiers-hint">{words.archiveHint(Number(archive.items))}</span>
        <Meter label={words.archive} share={share(archive.bytes, archive.allowanceBytes)} tone="archive" />
        <span class="tiers-size">{words.of(bytes(archive.bytes), bytes(archive.allowanceBytes))}</span>
      </li>
    </ul>
  );
}

function share(used: string, all: string): number {
  return Number(all) === 0 ? 0 : Number(used) / Number(all);
}

function Row({ tier }: { tier: TierUsage }) {
  const words = t.value.overview;
  const name = word(t.value.words.tier, tier.tier);
  const over = tier.usage > 1;
  return (
    <li class="tiers-row">
      <a class="tiers-name" href={linkTo("memories", "", { tier: tier.tier })}>{name} <span class="tiers-items">{number(tier.items)}</span></a>
      <span class={over ? "tiers-hint is-over" : "tiers-hint"}>{over ? words.over : words.tierHint[tier.tier]}</span>
      <Meter label={name} share={tier.usage} tone={over ? "over" : tier.tier.replace("TIER_", "").toLowerCase()} />
      <span class="tiers-size">{words.of(bytes(tier.bytes), bytes(tier.quotaBytes))}</span>
    </li>
  );
}
