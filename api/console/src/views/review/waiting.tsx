// Items that wait for a decision: each with its proposal first, and a way to dismiss it.
import { apply, dismiss, type Review, reviews, undo } from "../../api/reviews";
import { t, word } from "../../i18n";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { linkTo, queryValue, setQuery } from "../../state/route";
import { user } from "../../state/session";
import { failed, said } from "../../state/toasts";
import { When } from "../../ui/marks";
import { Empty, Refusal } from "../../ui/notes";
import { Section } from "../../ui/page";
import { Said } from "../../ui/said";
import { Item } from "./item";

const KEEP = ["REVIEW_CHANGE_KEEP_FIRST", "REVIEW_CHANGE_KEEP_SECOND"];

interface Acts {
  readonly review: Review;
  readonly choose: (choice: string) => void;
  readonly leave: () => void;
}

export function Waiting() {
  const words = t.value.review;
  const { data, error, again } = useLoad(reviews, [user.value, version.value]);
  const acts = (review: Review): Acts => {
    const back = () => undo(review.id).then(again);
    const done = (undoable: boolean) => (said(t.value.toasts.decided, undoable ? back : undefined), again());
    return {
      review,
      choose: (choice) => void apply(review.id, choice).then((answer) => done(answer.undoable)).catch(failed),
      leave: () => void dismiss(review.id).then(() => done(true)).catch(failed),
    };
  };
  // If no items of the selected kind are left, all kinds are shown.
  const asked = queryValue("kind");
  const kind = data?.some((review) => review.kind === asked) ? asked : "";
  const shown = data?.filter((review) => kind === "" || review.kind === kind) ?? [];
  return (
    <Section title={words.waiting} hint={words.waitingHint} aside={<span class="count">{data?.length ?? 0}</span>}>
      {error ? <Refusal error={error} again={again} /> : null}
      {data?.length === 0 && <Empty text={words.waitingEmpty} />}
      <Kinds reviews={data ?? []} kind={kind} />
      <ul class="review-list">
        {shown.map((review) => <Waits key={review.id} {...acts(review)} />)}
      </ul>
    </Section>
  );
}

// Counts of waiting items by kind; a single kind needs no choice.
function Kinds({ reviews, kind }: { reviews: Review[]; kind: string }) {
  const words = t.value.review;
  const counts = new Map<string, number>();
  for (const review of reviews) counts.set(review.kind, (counts.get(review.kind) ?? 0) + 1);
  if (counts.size < 2) return null;
  return (
    <div class="chips" role="group" aria-label={words.kinds}>
      {[["", reviews.length] as const, ...counts].map(([name, count]) => (
        <button key={name} type="button" class="chip" aria-pressed={kind === name} onClick={() => setQuery("kind", name)}>
          {name === "" ? words.allKinds : word(words.kind, name)} <span class="count">{count}</span>
        </button>
      ))}
    </div>
  );
}

// Chosen by shape, not by kind, so that new kinds are shown too.
function Waits(acts: Acts) {
  const { memories, makes, changes } = acts.review;
  if (memories.length === 2 && KEEP.every((change) => changes.includes(change))) return <Two {...acts} />;
  return memories.length === 1 && makes === "" ? <One {...acts} /> : <Several {...acts} />;
}

// The proposed record, and the memories it is made of: one, or up to a hundred.
function Several(acts: Acts) {
  const { memories, makes, aroseAt } = acts.review;
  return (
    <li class="review-item">
      <div class="review-main">
        {makes !== "" && <p class="review-text"><Said text={makes.slice(0, 400)} /></p>}
        <p class="review-marks"><Why review={acts.review} />{aroseAt && <When at={aroseAt} />}</p>
        {memories.length > 0 && (
          <details class="review-from" open={makes === ""}>
            <summary>{t.value.review.from(memories.length)}</summary>
            <ul>
              {memories.map((memory) => (
                <li key={memory.id}><a href={linkTo("memories", memory.id)}><Said text={memory.content.slice(0, 120)} /></a></li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <div class="actions"><Choices {...acts} /></div>
    </li>
  );
}

function One(acts: Acts) {
  const [memory] = acts.review.memories;
  if (!memory) return null;
  return <Item memory={memory} mark={<Why review={acts.review} />}><Choices {...acts} /></Item>;
}

function Two(acts: Acts) {
  const words = t.value.review;
  return (
    <li class="against">
      <div class="against-sides">
        {acts.review.memories.map((side, place) => (
          <div key={side.id} class="against-side">
            <a class="review-text" href={linkTo("memories", side.id)}><Said text={side.content.slice(0, 400)} /></a>
            <p class="review-marks"><When at={side.createdAt} /></p>
            <button type="button" class={acts.review.proposes === KEEP[place] ? "button is-proposed" : "button"} onClick={() => acts.choose(KEEP[place] ?? "")}>
              {words.keep}
            </button>
          </div>
        ))}
      </div>
      <div class="against-foot">
        <Why review={acts.review} />
        <div class="actions"><Choices {...acts} /></div>
      </div>
    </li>
  );
}

function Why({ review }: { review: Review }) {
  const { why } = t.value.review;
  const known = why[review.kind] ?? (review.kind === "REVIEW_KIND_PROMOTION" ? why[review.memories[0]?.kind ?? ""] : undefined);
  return <span dir="auto">{known ?? (review.reason || word(t.value.review.kind, review.kind))}</span>;
}

function Choices({ review, choose, leave }: Acts) {
  const words = t.value.review;
  return (
    <>
      {review.changes.filter((change) => !KEEP.includes(change)).map((change) => (
        <button key={change} type="button" class={change === review.proposes ? "button is-proposed" : "button"} onClick={() => choose(change)}>
          {word(words.change, change)}
        </button>
      ))}
      <button type="button" class="button is-quiet" onClick={leave}>{words.leave}</button>
    </>
  );
}
