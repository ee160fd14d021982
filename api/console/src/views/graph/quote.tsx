// A quote from a memory, with the relevant words highlighted.
import { Said } from "../../ui/said";

const AROUND = 160;

interface Of {
  text: string | undefined;
  // Shown if the words cannot be read.
  id: string;
  // Positions in UTF-8 bytes, as the api gives them.
  start?: number;
  end?: number;
}

export function Quote({ text, id, start = 0, end = 0 }: Of) {
  if (text === undefined) return id === "" ? <span>…</span> : <code>{id}</code>;
  const bytes = new TextEncoder().encode(text);
  const cut = (from: number, to?: number) => new TextDecoder().decode(bytes.slice(from, to));
  if (end <= start) return <Said text={shortened(text, 2 * AROUND)} />;
  const before = cut(0, start);
  return (
    <span class="said" dir="auto">
      {before.length > AROUND ? `…${before.slice(-AROUND)}` : before}
      <mark>{shortened(cut(start, end), 2 * AROUND)}</mark>
      {shortened(cut(end), AROUND)}
    </span>
  );
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
