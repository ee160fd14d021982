// Alerts of the installation, for callers who may see them.
import { ApiError } from "../../api/client";
import { alerts } from "../../api/system";
import { t } from "../../i18n";
import { useLoad } from "../../state/load";
import { When } from "../../ui/marks";
import { Empty, Refusal } from "../../ui/notes";
import { Section } from "../../ui/page";

export function Alerts() {
  const words = t.value.review;
  const { data, error, again } = useLoad(alerts, []);
  const hidden = error instanceof ApiError && error.status === 403;
  return (
    <Section title={words.alerts}>
      {hidden && <Empty text={words.alertsHidden} />}
      {error && !hidden ? <Refusal error={error} again={again} /> : null}
      {data?.alerts.length === 0 && <Empty text={words.alertsEmpty} />}
      <ul class="review-list">
        {data?.alerts.map((alert) => (
          <li key={alert.name + alert.raisedAt} class="review-item">
            <div class="review-main">
              <p>{alert.text}</p>
              <p class="review-marks"><code>{alert.name}</code><When at={alert.raisedAt} /></p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
