// The beginning of a memory of which only the id is known.
import { peek } from "../api/peek";
import { useLoad } from "../state/load";
import { Said } from "./said";

const SHOWN = 240;

export function Snippet({ id }: { id: string }) {
  const { data } = useLoad((signal) => peek([id], signal), [id]);
  const memory = data?.get(id);
  if (data && !memory) return <code>{id}</code>;
  return <Said text={memory?.content.slice(0, SHOWN) ?? "…"} />;
}
