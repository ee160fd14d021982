// Graph: the people and things in memories. The drawing, and beside it a list of the same, or the selected one.
import { t } from "../../i18n";
import { useRested } from "../../state/debounce";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { queryValue, route } from "../../state/route";
import { user } from "../../state/session";
import { Loading, Refusal } from "../../ui/notes";
import { Head } from "../../ui/page";
import { Drawing } from "./drawing";
import { EdgePanel } from "./edge-panel";
import { First } from "./first";
import { EntityList } from "./list";
import { Narrowed } from "./narrowed";
import { Panel } from "./panel";
import { depthValue, ruled, shown } from "./shown";

const REST_MS = 180;

export function Graph() {
  const words = t.value.graph;
  const { rest } = route.value;
  const search = useRested(queryValue("q").trim(), REST_MS);
  const asked = { search, type: queryValue("type"), around: rest, depth: Number(depthValue()) };
  const on = [user.value, version.value, ruled.value, ...Object.values(asked)];
  const { data, error, again } = useLoad((stop) => shown(asked, stop), on);
  const edge = queryValue("edge");
  const all = rest === "" && edge === "";
  const narrowed = search !== "" || asked.type !== "" || rest !== "";
  const nothing = data?.entities.length === 0 && !narrowed;
  return (
    <>
      <Head title={words.title} lead={words.lead} />
      {nothing ? <First /> : (
        <div class="graph">
          <Drawing graph={data} chosen={rest} edge={edge} />
          <div class="graph-side">
            {edge !== "" && <EdgePanel key={edge} edge={edge} graph={data} />}
            {edge === "" && rest !== "" && <Panel key={rest} id={rest} />}
            {all && <Narrowed />}
            {all && error ? <Refusal error={error} again={again} /> : null}
            {all && (data ? <EntityList graph={data} /> : !error && <Loading />)}
          </div>
        </div>
      )}
    </>
  );
}
