// What a meditation would do now, why, and ways to keep memories, run and undo.
import { useState } from "preact/hooks";
import { plan } from "../../api/nights";
import { peek } from "../../api/peek";
import { t } from "../../i18n";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { user } from "../../state/session";
import { Loading, Refusal } from "../../ui/notes";
import { Head, Section } from "../../ui/page";
import { Band } from "./band";
import { Group } from "./group";
import { PastNights } from "./past-nights";

const GROUPS = [
  ["DECISION_ACTION_DELETE", "erase", "eraseHint"],
  ["DECISION_ACTION_ARCHIVE", "archive", "archiveHint"],
  ["DECISION_ACTION_SPARE", "spare", "spareHint"],
] as const;

export function Tonight() {
  const words = t.value.tonight;
  const planned = useLoad(plan, [user.value, version.value]);
  const ids = planned.data?.decisions.map((decision) => decision.memoryId) ?? [];
  const known = useLoad((signal) => peek(ids, signal), [ids.join()]);
  const [changed, setChanged] = useState(false);
  if (planned.error && !planned.data) return <Refusal error={planned.error} again={planned.again} />;
  if (!planned.data) return <Loading />;
  const { decisions } = planned.data;
  return (
    <>
      <Head title={words.title} lead={words.lead} />
      <Band plan={planned.data} again={planned.again} setChanged={setChanged} />
      {changed && <p class="notice" role="status">{words.changed}</p>}
      {GROUPS.map(([action, title, hint]) => {
        const own = decisions.filter((decision) => decision.action === action);
        if (own.length === 0) return null;
        return (
          <Section key={action} title={words[title]} hint={words[hint]} aside={<span class="count">{own.length}</span>}>
            <Group decisions={own} known={known.data} again={planned.again} />
          </Section>
        );
      })}
      <PastNights />
    </>
  );
}
