// The context that an assistant gets for a query, and how it changes with the budget.
import { useState } from "preact/hooks";
import { context } from "../../api/named";
import type { Context as Answer } from "../../api/types";
import { t } from "../../i18n";
import { useRested } from "../../state/debounce";
import { useLoad } from "../../state/load";
import { linkTo, route, stay } from "../../state/route";
import { user } from "../../state/session";
import { Empty, Refusal } from "../../ui/notes";
import { Head, Section } from "../../ui/page";
import { Ask, BUDGETS } from "./ask";
import { Items } from "./items";
import { Learn } from "./learn";
import { Shares } from "./shares";
import { Text } from "./text";

const REST_MS = 250;
const USUAL = BUDGETS.indexOf(1_000);

// Two tabs: the context that is returned, and what would be learned.
export function Context() {
  const words = t.value.context;
  const learns = route.value.rest === "learn";
  return (
    <>
      <Head title={words.title} lead={learns ? t.value.learn.lead : words.lead} />
      <nav class="tabs" aria-label={words.tabs}>
        <a href={linkTo("context")} aria-current={learns ? undefined : "page"}>{words.tab}</a>
        <a href={linkTo("context", "learn")} aria-current={learns ? "page" : undefined}>{t.value.learn.tab}</a>
      </nav>
      {learns ? <Learn /> : <HandedOut />}
    </>
  );
}

function HandedOut() {
  const words = t.value.context;
  const asked = { q: route.value.query.get("q") ?? "", session: route.value.query.get("session") ?? "" };
  const [budget, setBudget] = useState(USUAL);
  const [picked, pick] = useState<string>();
  const query = useRested(asked.q.trim(), REST_MS);
  const sessionId = useRested(asked.session.trim(), REST_MS);
  const budgetTokens = useRested(BUDGETS[budget] ?? 1_000, REST_MS / 2);
  const load = async (signal: AbortSignal) => (query + sessionId === "" ? undefined : context({ query, sessionId, budgetTokens }, signal));
  const { data, error } = useLoad<Answer | undefined>(load, [user.value, query, sessionId, budgetTokens]);
  return (
    <>
      <Ask {...asked} budget={budget} setBudget={setBudget} set={(changed) => stay("context", "", { ...asked, ...changed })} />
      {error ? <Refusal error={error} /> : null}
      {!data && !error && <Empty text={words.empty} />}
      {data && <Shares answer={data} />}
      {data && data.items.length === 0 && <Empty text={data.leftOut.length === 0 ? words.nothing : words.tooSmall} />}
      {data && data.items.length > 0 && (
        <>
          <div class="context">
            <Section title={words.items} class="context-items"><Items answer={data} picked={picked} pick={pick} /></Section>
            <Section title={words.text} class="context-text" hint={words.noteUse}><Text answer={data} picked={picked} /></Section>
          </div>
        </>
      )}
    </>
  );
}
