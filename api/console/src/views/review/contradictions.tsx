// Pairs of which not both can hold.
import { invalidate, links, update } from "../../api/memories";
import { peek } from "../../api/peek";
import { post } from "../../api/client";
import type { Link, Memory } from "../../api/types";
import { ofUser } from "../../api/user";
import { t } from "../../i18n";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { linkTo } from "../../state/route";
import { user } from "../../state/session";
import { failed, said } from "../../state/toasts";
import { When } from "../../ui/marks";
import { Empty, Refusal } from "../../ui/notes";
import { Section } from "../../ui/page";
import { Said } from "../../ui/said";

const RELATION = "RELATION_CONTRADICTS";

type Pair = { link: Link; sides: [Memory, Memory] };

// Pairs of which one side is not there, or holds no longer, are settled.
async function pairs(signal: AbortSignal): Promise<Pair[]> {
  const read = await links({ relations: [RELATION] }, signal);
  const known = await peek(read.links.flatMap((link) => [link.fromId, link.toId]), signal);
  return read.links.flatMap((link) => {
    const sides = [known.get(link.fromId), known.get(link.toId)];
    return sides.every(isOpen) ? [{ link, sides: sides as [Memory, Memory] }] : [];
  });
}

function isOpen(memory: Memory | undefined): boolean {
  return memory !== undefined && memory.state === "MEMORY_STATE_ACTIVE" && !memory.validTo;
}

export function Contradictions() {
  const words = t.value.review;
  const { data, error, again } = useLoad(pairs, [user.value, version.value]);
  return (
    <Section title={words.contradictions} hint={words.contradictionsHint} aside={<span class="count">{data?.length ?? 0}</span>}>
      {error ? <Refusal error={error} again={again} /> : null}
      {data?.length === 0 && <Empty text={words.contradictionsEmpty} />}
      <ul class="review-list">{data?.map((pair) => <Against key={pair.link.fromId + pair.link.toId} pair={pair} again={again} />)}</ul>
    </Section>
  );
}

function Against({ pair: { link, sides }, again }: { pair: Pair; again: () => void }) {
  const words = t.value.review;
  const gone = ({ id }: Memory) => () => {
    const back = () => update(id, { validTo: null }).then(again);
    invalidate(id, link.evidence).then(() => (said(t.value.toasts.invalidated, back), again())).catch(failed);
  };
  const agree = () => {
    const { fromId, relation, toId } = link;
    const back = () => post(ofUser("links"), { link }).then(again);
    post(ofUser("links:unlink"), { fromId, relation, toId }).then(() => (said(t.value.toasts.unlinked, back), again())).catch(failed);
  };
  return (
    <li class="against">
      <div class="against-sides">
        {sides.map((side) => (
          <div key={side.id} class="against-side">
            <a class="review-text" href={linkTo("memories", side.id)}><Said text={side.content} /></a>
            <p class="review-marks"><When at={side.createdAt} /></p>
            <button type="button" class="button" onClick={gone(side)}>{words.holdsNot}</button>
          </div>
        ))}
      </div>
      <div class="against-foot">
        {link.evidence !== "" && <q dir="auto">{link.evidence}</q>}
        <button type="button" class="button is-quiet" onClick={agree}>{words.agree}</button>
      </div>
    </li>
  );
}
