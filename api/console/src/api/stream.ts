// Streams of the JSON API: one object per line.
import { address, headers, refusal, type Query } from "./client";

export async function* lines<T>(path: string, query: Query, signal: AbortSignal): AsyncGenerator<T> {
  const response = await fetch(address(path, query), { headers: headers(), signal, credentials: "omit" });
  if (!response.ok || !response.body) throw await refusal(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      if (line.trim() !== "") yield JSON.parse(line) as T;
    }
  }
}
