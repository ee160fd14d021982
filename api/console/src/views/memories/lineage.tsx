// What a memory rests on, and what rests on it.
import { lineage } from "../../api/memories";
import { t, word } from "../../i18n";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { linkTo } from "../../state/route";
import { Snippet } from "../../ui/snippet";

export function Lineage({ id }: { id: string }) {
  const words = t.value.detail;
  const { data } = useLoad((signal) => lineage(id, signal), [id, version.value]);
  return (
    <section class="part">
      <h2>{words.lineage}</h2>
      {data?.steps.length === 0 && <p class="hint">{words.lineageEmpty}</p>}
      <ul class="lineage">
        {data?.steps.map(({ link, direction }) => {
          const other = direction === "LINK_DIRECTION_OUT" ? link.toId : link.fromId;
          return (
            <li key={link.fromId + link.relation + link.toId}>
              <span class="lineage-relation">{direction === "LINK_DIRECTION_OUT" ? "→" : "←"} {word(t.value.words.relation, link.relation)}</span>
              <a href={linkTo("memories", other)}><Snippet id={other} /></a>
              {link.evidence !== "" && <q class="lineage-quote" dir="auto">{link.evidence}</q>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
