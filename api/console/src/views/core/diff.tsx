// A diff in the format of `diff -u`, each line marked by a sign and a colour.
import { t } from "../../i18n";

function tone(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")) return "is-place";
  return line.startsWith("+") ? "is-new" : line.startsWith("-") ? "is-old" : "";
}

export function Diff({ text }: { text: string }) {
  return (
    <pre class="diff" tabIndex={0} role="region" aria-label={t.value.core.diff}>
      {text.split("\n").map((line, n) => <span key={n} class={`diff-line ${tone(line)}`}>{line === "" ? " " : line}</span>)}
    </pre>
  );
}
