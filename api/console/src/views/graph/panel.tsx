// One entity: what it is called, what it is to others and who says so, and what memories tell of it in time.
import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "../../api/client";
import { entity } from "../../api/graph";
import { t } from "../../i18n";
import { moment, number } from "../../i18n/format";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { currentQuery, linkTo } from "../../state/route";
import { Icon } from "../../ui/icon";
import { Empty, Loading, Refusal } from "../../ui/notes";
import { Actions } from "./actions";
import { Edges } from "./edges";
import { Mentions } from "./mentions";
import { Names } from "./names";
import { ruled } from "./shown";
import { TypeOf } from "./type-of";

export function Panel({ id }: { id: string }) {
  const words = t.value.graph;
  const { data, error, again } = useLoad((stop) => entity(id, stop), [id, version.value, ruled.value]);
  if (error) {
    const gone = error instanceof ApiError && error.status === 404;
    return <><Back />{gone ? <Empty text={words.missing} /> : <Refusal error={error} again={again} />}</>;
  }
  if (!data) return <><Back /><Loading /></>;
  const { entity: of } = data;
  return (
    <article class="entity-panel" aria-labelledby="entity-title">
      <Back />
      <Title name={of.name} />
      <p class="review-marks">
        <TypeOf type={of.type} />
        <span>{words.mentions(Number(of.mentions))}</span>
        <span>{words.memories(Number(of.memories))}</span>
        <span>{words.salience} {number(of.salience, 2)}</span>
      </p>
      {of.firstAt && of.lastAt && <p class="hint">{words.between(moment(of.firstAt), moment(of.lastAt))}</p>}
      <Actions entity={of} />
      <Edges entity={of} edges={data.edges} />
      <Names entity={of} names={data.names} />
      <Mentions mentions={data.mentions} more={data.truncated} />
    </article>
  );
}

// What was clicked in the list is gone: those who use keys go on from here.
function Title({ name }: { name: string }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus({ preventScroll: true }), []);
  return <h2 id="entity-title" class="entity-title" ref={title} tabIndex={-1}><bdi>{name}</bdi></h2>;
}

function Back() {
  return <a class="back" href={linkTo("graph", "", currentQuery())}><Icon name="back" />{t.value.graph.all}</a>;
}
