// Pieces of a text by their places in bytes of UTF-8, as the api tells them.
import type { ContextItem } from "../../api/types";

const decoder = new TextDecoder();

export interface Piece {
  readonly text: string;
  readonly item?: ContextItem;
}

export function pieces(text: string, items: readonly ContextItem[]): Piece[] {
  const bytes = new TextEncoder().encode(text);
  const all: Piece[] = [];
  let at = 0;
  const until = (end: number, item?: ContextItem) => {
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

// The stored words of an item: its lines without the fence.
export function quoted(bytes: Uint8Array, { startByte, endByte }: ContextItem): string {
  const lines = decoder.decode(bytes.slice(Number(startByte), Number(endByte))).split("\n");
  const fenced = lines.filter((line) => line.startsWith("| ")).map((line) => line.slice(2));
  return fenced.join(" ");
}
