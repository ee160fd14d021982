// What ended by itself: the old memory, the one that holds instead, and the words that did it. Each is undone in one step.
import type { ComponentChildren } from "preact";
import { apply, dismiss, replaced, type Review, undo } from "../../api/reviews";
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

export function Changed() {
  const words = t.value.review;
  const { data, error, again } = useLoad(replaced, [user.value, version.value]);
  const done = (id: string) => (said(t.value.toasts.decided, () => undo(id).then(again)), again());
  const choose = (id: string, choice: string) => void apply(id, choice).then(() => done(id)).catch(failed);
  const leave = (id: string) => void dismiss(id).then(() => done(id)).catch(failed);
  return (
    <Section title={words.changed} hint={words.changedHint} aside={<span class="count">{data?.length ?? 0}</span>}>
      {error ? <Refusal error={error} again={again} /> : null}
      {data?.length === 0 && <Empty text={words.changedEmpty} />}
      <ul class="review-list">
        {data?.map((review) => (
          <Ended key={review.id} review={review}>
            <button type="button" class="button" onClick={() => choose(review.id, "REVIEW_CHANGE_KEEP_BOTH")}>{words.holdAgain}</button>
            <button type="button" class="button" onClick={() => choose(review.id, "REVIEW_CHANGE_KEEP_FIRST")}>{words.dropNew}</button>
            <button type="button" class="button is-quiet" onClick={() => leave(review.id)}>{words.leave}</button>
          </Ended>
        ))}
      </ul>
    </Section>
  );
}

function Ended({ review, children }: { review: Review; children: ComponentChildren }) {
  return (
    <li class="against">
      <div class="against-sides">
        {review.memories.map((side, place) => (
          <div key={side.id} class="against-side">
            <p class="review-marks">{place === 0 ? t.value.review.ended : t.value.review.instead}</p>
            <a class="review-text" href={linkTo("memories", side.id)}><Said text={side.content.slice(0, 400)} /></a>
          </div>
        ))}
      </div>
      <div class="against-foot">
        <span dir="auto">{review.reason} <When at={review.aroseAt} /></span>
        <div class="actions">{children}</div>
      </div>
    </li>
  );
}
