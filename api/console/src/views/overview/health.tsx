// Alerts, version, and enabled features.
import { ApiError } from "../../api/client";
import { alerts, server } from "../../api/system";
import type { UserMetrics } from "../../api/types";
import { t, word } from "../../i18n";
import { bytes } from "../../i18n/format";
import { useLoad } from "../../state/load";
import { linkTo } from "../../state/route";

export function Health({ usage }: { usage: UserMetrics }) {
  const words = t.value.overview;
  const about = useLoad(server, []);
  const wrong = useLoad(alerts, []);
  const hidden = wrong.error instanceof ApiError && wrong.error.status === 403;
  const count = wrong.data?.alerts.length ?? 0;
  const over = usage.tiers.filter(({ usage: share }) => share > 1).map(({ tier }) => word(t.value.words.tier, tier));
  const fine = over.length === 0 ? (hidden ? words.noAlerts : words.healthy) : "";
  return (
    <>
      {count > 0 && <p class="verdict is-bad"><a href={linkTo("review")}>{words.alerts(count)}</a></p>}
      {over.length > 0 && <p class="verdict is-over"><a href={linkTo("tonight")}>{words.overQuota(over.join(", "))}</a></p>}
      {count === 0 && !wrong.loading && fine !== "" && <p class="verdict">{fine}</p>}
      <dl class="facts">
        <dt>{words.version}</dt>
        <dd>{about.data?.version ?? "…"}</dd>
        <dt>{words.disk}</dt>
        <dd>{bytes(usage.diskBytes)}</dd>
        <dt>{words.meaning}</dt>
        <dd title={usage.embedding.reason}>{/OFF|OVER_CAP/.test(usage.embedding.state) ? words.off : words.on}</dd>
      </dl>
    </>
  );
}
