// The last meditation and the next one.
import type { Meditation } from "../../api/types";
import { t } from "../../i18n";
import { linkTo } from "../../state/route";
import { When } from "../../ui/marks";

export function Nights({ last, next }: { last: Meditation | undefined; next: string | undefined }) {
  const words = t.value.overview;
  return (
    <section class="night-card">
      <div>
        <h2>{words.last}</h2>
        {last ? (
          <>
            <p class="night-when"><When at={last.finishedAt ?? last.createdAt} /></p>
            <p>{words.lastSaid(Number(last.archived), Number(last.pruned))}</p>
          </>
        ) : (
          <p>{words.lastNone}</p>
        )}
      </div>
      <div>
        <h2>{words.next}</h2>
        {next && <p class="night-when"><When at={next} /></p>}
        <a class="night-link" href={linkTo("tonight")}>{words.seePlan}</a>
      </div>
    </section>
  );
}
