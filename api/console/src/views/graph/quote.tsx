// Words of a memory, with those set off that say what it is quoted for.
import { Said } from "../../ui/said";

const AROUND = 160;

interface Of {
  text: string | undefined;
  // What stands there where the words cannot be read.
  id: string;
  // Places in bytes of UTF-8, as the api tells them.
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
