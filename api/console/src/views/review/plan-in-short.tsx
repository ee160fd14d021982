// The plan of the next meditation in one line.
import { plan } from "../../api/nights";
import { t } from "../../i18n";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { linkTo } from "../../state/route";
import { user } from "../../state/session";
import { Icon } from "../../ui/icon";

export function PlanInShort() {
  const words = t.value.review;
  const { data } = useLoad(plan, [user.value, version.value]);
  const count = Number(data?.meditation.archived ?? 0) + Number(data?.meditation.pruned ?? 0);
  return (
    <a class="plan-line" href={linkTo("tonight")}>
      <Icon name="moon" />
      <span><strong>{words.plan}</strong> {data ? words.planHint(count) : t.value.common.loading}</span>
      <span class="plan-open">{words.open}</span>
    </a>
  );
}
