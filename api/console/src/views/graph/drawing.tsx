// The place of the drawing, with its buttons; what draws is loaded when there is something to draw.
import { useEffect, useRef } from "preact/hooks";
import type { Subgraph } from "../../api/graph";
import { t } from "../../i18n";
import { currentQuery, go, setQuery } from "../../state/route";
import { theme } from "../../state/theme";
import type { Stage } from "./draw/stage";
import { DEPTHS, depthValue } from "./shown";
import { TypeOf } from "./type-of";

const STEP = 1.4;
const pick = (id: string) => go("graph", id, currentQuery());

export function Drawing({ graph, chosen }: { graph: Subgraph | undefined; chosen: string }) {
  const words = t.value.graph;
  const place = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage>(null);
  const wanted = useRef({ graph, chosen });
  wanted.current = { graph, chosen };
  useEffect(() => {
    let gone = false;
    void import("./draw/stage").then(({ Stage }) => {
      if (gone || !place.current) return;
      stage.current = new Stage(place.current, pick);
      stage.current.show(wanted.current.graph, wanted.current.chosen);
    });
    return () => {
      gone = true;
      stage.current?.close();
      stage.current = null;
    };
  }, []);
  useEffect(() => stage.current?.show(graph, chosen), [graph, chosen]);
  useEffect(() => stage.current?.restyle(), [theme.value]);
  const types = [...new Set(graph?.entities.map(({ type }) => type))];
  return (
    <div class="graph-drawing">
      <div class="graph-place" ref={place} aria-hidden="true" />
      <div class="graph-tools" role="group" aria-label={words.tools}>
        <button type="button" class="icon-button" aria-label={words.nearer} onClick={() => stage.current?.zoom(STEP)}>+</button>
        <button type="button" class="icon-button" aria-label={words.further} onClick={() => stage.current?.zoom(1 / STEP)}>−</button>
        <button type="button" class="button is-quiet" onClick={() => stage.current?.fit()}>{words.fit}</button>
        {chosen !== "" && (
          <select class="quiet-select" aria-label={words.depth} value={depthValue()} onChange={(event) => setQuery("depth", event.currentTarget.value)}>
            {DEPTHS.map((depth) => <option key={depth} value={depth}>{words.steps(Number(depth))}</option>)}
          </select>
        )}
      </div>
      <p class="graph-legend">{types.map((type) => <TypeOf key={type} type={type} />)}</p>
    </div>
  );
}
