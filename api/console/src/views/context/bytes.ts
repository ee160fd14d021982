// Slices of a text by positions in UTF-8 bytes, as the api gives them.
import type { ContextItem } from "../../api/types";

const decoder = new TextDecoder();

interface Span {
  // 64-bit integers are strings.
  readonly startByte: string | number;
  readonly endByte: string | number;
}

export interface Piece<S extends Span> {
  readonly text: string;
  readonly item?: S;
}

export function pieces<S extends Span>(text: string, items: readonly S[]): Piece<S>[] {
  const bytes = new TextEncoder().encode(text);
  const all: Piece<S>[] = [];
  let at = 0;
  const until = (end: number, item?: S) => {
    if (end > at) all.push({ text: decoder.decode(bytes.slice(at, end)), ...(item ? { item } : {}) });
    at = Math.max(at, end);
  };
  for (const item of items) {
    until(Number(item.startByte));
    until(Number(item.endByte), item);
  }
  until(bytes.length);
  return all;
}

// The stored text of an item: its lines without the fence.
export function quoted(bytes: Uint8Array, { startByte, endByte }: ContextItem): string {
  const lines = decoder.decode(bytes.slice(Number(startByte), Number(endByte))).split("\n");
  const fenced = lines.filter((line) => line.startsWith("| ")).map((line) => line.slice(2));
  return fenced.join(" ");
}
