// One entity: its names, its relations with their evidence, and its mentions by time.
import { ApiError } from "../../api/client";
import { entity } from "../../api/graph";
import { t } from "../../i18n";
import { moment, number } from "../../i18n/format";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { linkTo } from "../../state/route";
import { Icon } from "../../ui/icon";
import { Empty, Loading, Refusal } from "../../ui/notes";
import { Actions } from "./actions";
import { Edges } from "./edges";
import { Mentions } from "./mentions";
import { Names } from "./names";
import { Profile } from "./profile";
import { elsewhere, ruled } from "./shown";
import { Title } from "./title";
import { TypeOf } from "./type-of";

// Enough for its timeline, as a memory may mention it more than once.
const MENTIONS = 200;

export function Panel({ id }: { id: string }) {
  const words = t.value.graph;
  const { data, error, again } = useLoad((stop) => entity(id, MENTIONS, stop), [id, version.value, ruled.value]);
  if (error) {
    const gone = error instanceof ApiError && error.status === 404;
    return <><Back />{gone ? <Empty text={words.missing} /> : <Refusal error={error} again={again} />}</>;
  }
  if (!data) return <><Back /><Loading /></>;
  const { entity: of } = data;
  return (
    <article class="entity-panel" aria-labelledby="entity-title">
      <Back />
      <Title><bdi>{of.name}</bdi></Title>
      <p class="review-marks">
        <TypeOf type={of.type} />
        <span>{words.mentions(Number(of.mentions))}</span>
        <span>{words.memories(Number(of.memories))}</span>
        <span>{words.salience} {number(of.salience, 2)}</span>
      </p>
      <p><a href={linkTo("memories", "", { entity: of.id })}>{words.inMemories}</a></p>
      {of.firstAt && of.lastAt && <p class="hint">{words.between(moment(of.firstAt), moment(of.lastAt))}</p>}
      <Actions entity={of} />
      <Profile entity={of} />
      <Edges entity={of} edges={data.edges} />
      <Names entity={of} names={data.names} />
      <Mentions mentions={data.mentions} more={data.truncated} />
    </article>
  );
}

function Back() {
  return <a class="back" href={linkTo("graph", "", elsewhere())}><Icon name="back" />{t.value.graph.all}</a>;
}
