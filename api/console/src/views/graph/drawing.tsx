// The area of the drawing, with its buttons; the drawing code is loaded when there is something to draw.
import { useEffect, useRef } from "preact/hooks";
import type { Subgraph } from "../../api/graph";
import { t } from "../../i18n";
import { currentQuery, go, queryValue, route, setQuery } from "../../state/route";
import { theme } from "../../state/theme";
import type { Stage } from "./draw/stage";
import { DEPTHS, depthValue, elsewhere } from "./shown";
import { TypeOf } from "./type-of";

const STEP = 1.4;
const pick = (id: string) => go("graph", id, elsewhere());
const pickEdge = (edge: string) => go("graph", route.value.rest, { ...currentQuery(), edge });

interface Of {
  graph: Subgraph | undefined;
  chosen: string;
  edge: string;
}

export function Drawing({ graph, chosen, edge }: Of) {
  const words = t.value.graph;
  const place = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage>(null);
  const wanted = useRef({ graph, chosen, edge });
  wanted.current = { graph, chosen, edge };
  useEffect(() => {
    let gone = false;
    void import("./draw/stage").then(({ Stage }) => {
      if (gone || !place.current) return;
      stage.current = new Stage(place.current, pick, pickEdge);
      stage.current.show(wanted.current.graph, wanted.current.chosen, wanted.current.edge);
    });
    return () => {
      gone = true;
      stage.current?.close();
      stage.current = null;
    };
  }, []);
  useEffect(() => stage.current?.show(graph, chosen, edge), [graph, chosen, edge]);
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
      <Legend types={types} />
    </div>
  );
}

// The legend of colours, which also filters by type.
function Legend({ types }: { types: string[] }) {
  const only = queryValue("type");
  return (
    <ul class="graph-legend" aria-label={t.value.graph.type}>
      {types.map((type) => (
        <li key={type}>
          <button type="button" class="legend-button" aria-pressed={only === type} onClick={() => setQuery("type", only === type ? "" : type)}>
            <TypeOf type={type} />
          </button>
        </li>
      ))}
    </ul>
  );
}
