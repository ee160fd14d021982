// Memories: search and filters above, the list, and beside it the selected memory.
import { useEffect, useMemo, useState } from "preact/hooks";
import { t } from "../../i18n";
import { useRested } from "../../state/debounce";
import { version } from "../../state/live";
import { route } from "../../state/route";
import { Head } from "../../ui/page";
import { Empty } from "../../ui/notes";
import { Add } from "./add";
import { Bulk } from "./bulk";
import { Detail } from "./detail";
import { Filters } from "./filters";
import { List } from "./list";
import { useListed } from "./list-state";
import { filterValue, useNarrow } from "./narrow";
import { Search } from "./search";

const REST_MS = 180;

export function Memories() {
  const words = t.value.memories;
  const narrow = useNarrow();
  const query = useRested(filterValue("q").trim(), REST_MS);
  const [turn, setTurn] = useState(0);
  const [seen, setSeen] = useState(version.value);
  const [scrolled, setScrolled] = useState(false);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const listed = useListed(query, narrow, turn);
  const show = () => (setSeen(version.value), setTurn((before) => before + 1));
  // At the top of the list changes appear automatically; further down they would move the text being read.
  useEffect(() => {
    if (version.value !== seen && !scrolled) show();
  }, [version.value, scrolled]);
  const { rest } = route.value;
  const found = useMemo(() => listed.found.get(rest), [listed.found, rest]);
  return (
    <>
      <Head title={words.title}><Add /></Head>
      <div class={rest === "" ? "memories" : "memories has-detail"}>
        <div class="memories-list">
          <Search listed={listed} query={query} />
          <Filters />
          {picked.size > 0 && <Bulk picked={picked} clear={() => setPicked(new Set())} />}
          {version.value !== seen && scrolled && <button type="button" class="pill" onClick={show}>{words.changed}</button>}
          <List listed={listed} query={query} picked={picked} pick={setPicked} onScrolled={setScrolled} />
        </div>
        <div class="memories-detail">
          {rest === "" ? <Empty text={words.pick} /> : <Detail key={rest} id={rest} found={found} query={query} />}
        </div>
      </div>
    </>
  );
}
