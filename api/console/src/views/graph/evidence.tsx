// The memories that state the relation of two entities, with the relevant words highlighted.
import { peek } from "../../api/peek";
import type { EdgeEvidence } from "../../api/types";
import { useLoad } from "../../state/load";
import { linkTo } from "../../state/route";
import { When } from "../../ui/marks";
import { Quote } from "./quote";

export function Evidence({ evidence }: { evidence: EdgeEvidence[] }) {
  const ids = evidence.map(({ memoryId }) => memoryId);
  const happened = new Map(evidence.map(({ memoryId, at }) => [memoryId, at]));
  const { data } = useLoad((stop) => peek(ids, stop, happened), [ids.join()]);
  return (
    <ul class="entity-quotes">
      {evidence.map((one) => (
        <li key={one.memoryId + one.startByte}>
          <a href={linkTo("memories", one.memoryId)}><Quote text={data?.get(one.memoryId)?.content} id={data ? one.memoryId : ""} start={one.startByte} end={one.endByte} /></a>
          <When at={one.at} />
        </li>
      ))}
    </ul>
  );
}
