// Related memories: with common tags, entities or words.
import { related } from "../../api/memories";
import { t } from "../../i18n";
import { percent } from "../../i18n/format";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { currentQuery, linkTo } from "../../state/route";
import { Said } from "../../ui/said";

const SHOWN = 240;

export function Related({ id }: { id: string }) {
  const { data } = useLoad((signal) => related(id, signal), [id, version.value]);
  if (!data || data.related.length === 0) return null;
  return (
    <section class="part">
      <h2>{t.value.detail.related}</h2>
      <ul class="lineage">
        {data.related.map(({ memory, weight, entities, tags }) => (
          <li key={memory.id}>
            <a href={linkTo("memories", memory.id, currentQuery())}><Said text={memory.content.slice(0, SHOWN)} /></a>
            <p class="review-marks"><span>{percent(weight)}</span>{[...entities, ...tags].map((name) => <bdi key={name}>{name}</bdi>)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
