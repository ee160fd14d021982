// What waits for a decision: each item with what it proposes first, and a way to let it be.
import { apply, dismiss, type Review, reviews, undo } from "../../api/reviews";
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
  return (
    <Section title={words.waiting} hint={words.waitingHint} aside={<span class="count">{data?.length ?? 0}</span>}>
      {error ? <Refusal error={error} again={again} /> : null}
      {data?.length === 0 && <Empty text={words.waitingEmpty} />}
      <ul class="review-list">
        {data?.map((review) => <Waits key={review.id} {...acts(review)} />)}
      </ul>
    </Section>
  );
}

function Waits(acts: Acts) {
  if (acts.review.makes) return <Promotion {...acts} />;
  return acts.review.memories.length > 1 ? <Two {...acts} /> : <One {...acts} />;
}

// What would be made, and of which memories: of one, or of up to a hundred.
function Promotion(acts: Acts) {
  const { memories, makes } = acts.review;
  return (
    <li class="review-item">
      <div class="review-main">
        <p class="review-text"><Said text={makes.slice(0, 400)} /></p>
        <p class="review-marks"><Why review={acts.review} /><When at={acts.review.aroseAt} /></p>
        <details class="review-from">
          <summary>{t.value.review.from(memories.length)}</summary>
          <ul>
            {memories.map((memory) => (
              <li key={memory.id}><a href={linkTo("memories", memory.id)}><Said text={memory.content.slice(0, 120)} /></a></li>
            ))}
          </ul>
        </details>
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
            <button type="button" class="button" onClick={() => acts.choose(KEEP[place] ?? "")}>{words.keep}</button>
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
  return <span>{why[review.kind] ?? why[review.memories[0]?.kind ?? ""] ?? review.kind}</span>;
}

function Choices({ review, choose, leave }: Acts) {
  const words = t.value.review;
  return (
    <>
      {review.changes.filter((change) => !KEEP.includes(change)).map((change) => (
        <button key={change} type="button" class="button" onClick={() => choose(change)}>{words.change[change] ?? change}</button>
      ))}
      <button type="button" class="button is-quiet" onClick={leave}>{words.leave}</button>
    </>
  );
}
