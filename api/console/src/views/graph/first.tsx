// Shown while no entity is known: what a meditation would find, and how to start one.
import { t } from "../../i18n";
import { linkTo } from "../../state/route";
import { user } from "../../state/session";

export function First() {
  const words = t.value.graph;
  return (
    <div class="first">
      <h2>{words.emptyTitle}</h2>
      <p>{words.emptyText}</p>
      <pre class="command" tabIndex={0}><code>{words.emptyCommand(user.value)}</code></pre>
      <p><a href={linkTo("tonight")}>{words.emptyNight}</a></p>
    </div>
  );
}
