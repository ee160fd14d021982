// One memory: its text, its score with reasons, its origin and history.
import { useState } from "preact/hooks";
import { ApiError } from "../../api/client";
import { read } from "../../api/memories";
import type { Found } from "../../api/types";
import { t } from "../../i18n";
import { moment } from "../../i18n/format";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { currentQuery, linkTo } from "../../state/route";
import { Icon } from "../../ui/icon";
import { Kind, State, Tier, Warm } from "../../ui/marks";
import { Empty, Loading, Refusal } from "../../ui/notes";
import { Said } from "../../ui/said";
import { Actions } from "./actions";
import { Editor, type Editing } from "./editor";
import { Facts } from "./facts";
import { Past } from "./past";
import { Lineage } from "./lineage";
import { Related } from "./related";
import { Temperature } from "./temperature";
import { Worth } from "./worth";
import { WhyFound } from "./why-found";

interface Of {
  id: string;
  found: Found | undefined;
  query: string;
}

export function Detail({ id, found, query }: Of) {
  const words = t.value.detail;
  const { data, error, again } = useLoad((signal) => read(id, signal), [id, version.value]);
  const [editing, edit] = useState<Editing>();
  if (error) {
    const gone = error instanceof ApiError && error.status === 404;
    return gone ? <Empty text={words.missing}><Back /></Empty> : <Refusal error={error} again={again} />;
  }
  if (!data) return <Loading />;
  const { memory, scoreExplanation, warmth } = data;
  return (
    <article class="detail" aria-label={memory.content.slice(0, 60)}>
      <Back />
      <div class="detail-marks">
        <Tier tier={memory.tier} />
        <Kind kind={memory.kind} />
        <State state={memory.state} />
        <Warm warmth={warmth} />
        {memory.protected && <span class="state is-good">{words.isProtected}</span>}
        {memory.metadata.sensitive && <span class="state">{words.sensitive}</span>}
      </div>
      {editing ? (
        <Editor memory={memory} editing={editing} done={() => (edit(undefined), again())} />
      ) : (
        <>
          <p class="detail-text"><Said text={memory.content} query={query} whole /></p>
          {memory.deleteAfter && <p class="hint">{words.gone(moment(memory.deleteAfter))}</p>}
          <Actions memory={memory} edit={edit} again={again} />
        </>
      )}
      {found?.explanation && <WhyFound found={found} explanation={found.explanation} />}
      {scoreExplanation && <Worth explanation={scoreExplanation} />}
      {warmth && <Temperature warmth={warmth} />}
      <Facts memory={memory} />
      <Lineage id={id} />
      <Related id={id} />
      <Past id={id} />
    </article>
  );
}

function Back() {
  return (
    <a class="back" href={linkTo("memories", "", currentQuery())}><Icon name="back" />{t.value.detail.back}</a>
  );
}
