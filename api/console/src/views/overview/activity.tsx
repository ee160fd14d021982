// Changes as the stream reports them.
import { t, word } from "../../i18n";
import { recent } from "../../state/live";
import { linkTo } from "../../state/route";
import { When } from "../../ui/marks";
import { Empty } from "../../ui/notes";
import { Said } from "../../ui/said";

const SHOWN = 8;

export function Activity() {
  if (recent.value.length === 0) return <Empty text={t.value.overview.activityEmpty} />;
  return (
    <ol class="activity">
      {recent.value.slice(0, SHOWN).map((change) => (
        <li key={change.memoryId + change.kind + change.changedAt}>
          <span class="activity-kind">{word(t.value.words.change, change.kind)}</span>
          <a class="activity-text" href={linkTo("memories", change.memoryId)}>
            {change.memory ? <Said text={change.memory.content.slice(0, 200)} /> : <code>{change.memoryId}</code>}
          </a>
          <When at={change.changedAt} />
        </li>
      ))}
    </ol>
  );
}
