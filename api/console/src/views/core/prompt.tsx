// Core memory as an assistant reads it, with its size.
import { context, rendered } from "../../api/named";
import { t } from "../../i18n";
import { number } from "../../i18n/format";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { user } from "../../state/session";
import { Section } from "../../ui/page";

// More than core memory can contain.
const ROOM = 100_000;

const ASK = { query: "", sessionId: "", budgetTokens: ROOM, parts: ["CONTEXT_PART_CORE"] };

export function Prompt() {
  const words = t.value.core;
  const { data } = useLoad(rendered, [user.value, version.value]);
  const counted = useLoad((signal) => context(ASK, signal), [user.value, version.value]);
  const tokens = counted.data && words.tokens(number(counted.data.tokens));
  return (
    <Section title={words.rendered} hint={words.renderedHint} aside={tokens && <span class="hint">{tokens}</span>}>
      <pre class="prompt" tabIndex={0} role="region" aria-label={words.rendered} dir="auto">{data?.text ?? "…"}</pre>
    </Section>
  );
}
