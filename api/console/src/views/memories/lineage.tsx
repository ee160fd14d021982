// The sources of a memory, and the memories derived from it.
import { lineage, type Step } from "../../api/memories";
import { peek } from "../../api/peek";
import { t, word } from "../../i18n";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { linkTo } from "../../state/route";
import { Said } from "../../ui/said";

const SHOWN = 240;

export function Lineage({ id }: { id: string }) {
  const words = t.value.detail;
  const { data } = useLoad((signal) => lineage(id, signal), [id, version.value]);
  return (
    <section class="part">
      <h2>{words.lineage}</h2>
      {data?.steps.length === 0 && <p class="hint">{words.lineageEmpty}</p>}
      {data && <Steps steps={data.steps} />}
    </section>
  );
}

function otherOf({ link, direction }: Step): string {
  return direction === "LINK_DIRECTION_OUT" ? link.toId : link.fromId;
}

function Steps({ steps }: { steps: readonly Step[] }) {
  const ids = steps.map(otherOf);
  const { data, loading } = useLoad((signal) => peek(ids, signal), [ids.join()]);
  return (
    <ul class="lineage">
      {steps.map((step) => {
        const { link, direction } = step;
        const other = otherOf(step);
        const memory = data?.get(other);
        return (
          <li key={link.fromId + link.relation + link.toId}>
            <span class="lineage-relation">{direction === "LINK_DIRECTION_OUT" ? "→" : "←"} {word(t.value.words.relation, link.relation)}</span>
            <a href={linkTo("memories", other)}>{memory || loading ? <Said text={memory?.content.slice(0, SHOWN) ?? "…"} /> : <code>{other}</code>}</a>
            {link.evidence !== "" && <q class="lineage-quote" dir="auto">{link.evidence}</q>}
          </li>
        );
      })}
    </ul>
  );
}
