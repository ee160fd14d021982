// Past meditations, newest first.
import { nights } from "../../api/nights";
import type { Meditation } from "../../api/types";
import { t, word } from "../../i18n";
import { bytes } from "../../i18n/format";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { user } from "../../state/session";
import { When } from "../../ui/marks";
import { Empty, Refusal } from "../../ui/notes";
import { Section } from "../../ui/page";

export function PastNights() {
  const words = t.value.tonight;
  const { data, error } = useLoad((signal) => nights(20, signal), [user.value, version.value]);
  return (
    <Section title={words.past}>
      {error ? <Refusal error={error} /> : null}
      {data?.meditations.length === 0 && <Empty text={words.pastEmpty} />}
      <ul class="past-nights">{data?.meditations.map((night) => <Night key={night.id} night={night} />)}</ul>
    </Section>
  );
}

function Night({ night }: { night: Meditation }) {
  const said = t.value.overview.lastSaid(Number(night.archived), Number(night.pruned));
  const room = Number(night.archivedBytes) + Number(night.prunedBytes);
  return (
    <li>
      <When at={night.finishedAt ?? night.createdAt} />
      <span>{said}</span>
      <span class="past-size">{room > 0 && bytes(room)}</span>
      <span class="past-why">{word(t.value.words.trigger, night.trigger)}</span>
      {night.error !== "" && <span class="past-error">{night.error}</span>}
    </li>
  );
}
