// Stored text. It is untrusted: always a text node, isolated in direction, and cut to a maximum length.
import type { ComponentChildren } from "preact";

const SHOWN = 600;

export function Said({ text, query = "", whole = false }: { text: string; query?: string; whole?: boolean }) {
  const cut = !whole && text.length > SHOWN;
  const shown = cut ? `${text.slice(0, SHOWN)}…` : text;
  return <span class="said" dir="auto">{query === "" ? shown : marked(shown, query)}</span>;
}

// Highlights words of the query in the text.
function marked(text: string, query: string): ComponentChildren {
  const words = (query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).map(stem);
  if (words.length === 0) return text;
  return text.split(/([\p{L}\p{N}]+)/u).map((part) => {
    const plain = part.toLowerCase();
    return words.some((one) => plain.startsWith(one)) ? <mark>{part}</mark> : part;
  });
}

// Approximates how the search folds words: "trains" marks "train".
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(es|s)$/, "") : word;
}
