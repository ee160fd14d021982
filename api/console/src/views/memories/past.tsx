// The history of a memory.
import { history } from "../../api/memories";
import type { HistoryEvent } from "../../api/types";
import { t, word } from "../../i18n";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { When } from "../../ui/marks";

function told(event: HistoryEvent): string {
  const { events } = t.value.detail;
  const { words } = t.value;
  if (event.decided) return events.decided(word(words.action, event.decided.action), word(words.reason, event.decided.reason));
  if (event.linked) return events.linked(word(words.relation, event.linked.relation));
  if (event.ended) return events.ended(event.ended.reason);
  if (event.believed) return events.believed;
  return event.created ? events.created : events.updated;
}

export function Past({ id }: { id: string }) {
  const { data } = useLoad((signal) => history(id, signal), [id, version.value]);
  return (
    <section class="part">
      <h2>{t.value.detail.history}</h2>
      <ol class="timeline">
        {data?.events.map((event, n) => (
          <li key={n}>
            <span class="timeline-text">{told(event)}</span>
            <When at={event.at} />
          </li>
        ))}
      </ol>
    </section>
  );
}
