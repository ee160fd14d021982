// The list: any number of rows, of which only visible ones are rendered; arrow keys move through it.
import { useEffect } from "preact/hooks";
import { t } from "../../i18n";
import { route } from "../../state/route";
import { Empty, Refusal } from "../../ui/notes";
import { useVirtual } from "../../ui/virtual";
import type { Listed } from "./list-state";
import { Row } from "./row";

const ROW_PX = 104;
// The next page is loaded this many rows before the end.
const AHEAD = 120;

interface Of {
  listed: Listed;
  query: string;
  picked: ReadonlySet<string>;
  pick: (picked: ReadonlySet<string>) => void;
  onScrolled: (scrolled: boolean) => void;
}

export function List({ listed, query, picked, pick, onScrolled }: Of) {
  const { memories, more, next } = listed;
  const { scroller, rows, height, virtualizer } = useVirtual(memories.length, ROW_PX);
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && last > memories.length - AHEAD) next();
  }, [last, memories.length, more, next]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const from = (event.target as HTMLElement).closest<HTMLElement>("[data-row]");
    if (!step || !from) return;
    event.preventDefault();
    const to = Math.min(Math.max(Number(from.dataset["row"]) + step, 0), memories.length - 1);
    virtualizer.scrollToIndex(to);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${to}"] a`)?.focus());
  };
  const toggle = (id: string) => {
    const changed = new Set(picked);
    if (!changed.delete(id)) changed.add(id);
    pick(changed);
  };
  return (
    <div
      class="rows"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={t.value.memories.list}
      onKeyDown={move}
      onScroll={(event) => onScrolled(event.currentTarget.scrollTop > ROW_PX)}
    >
      {listed.error ? <Refusal error={listed.error} /> : null}
      {!listed.loading && !listed.error && memories.length === 0 && <Nothing query={query} />}
      {memories.length > 0 && (
        <div class="rows-inner" role="list" style={{ height: `${height}px` }}>
          {rows.map(({ index, start }) => {
            const memory = memories[index];
            if (!memory) return null;
            const found = listed.found.get(memory.id);
            return (
              <Row
                key={memory.id}
                {...{ memory, found, query, index, start, size: more ? -1 : memories.length, toggle }}
                current={route.value.rest === memory.id}
                picked={picked.has(memory.id)}
              />
            );
          })}
        </div>
      )}
    </div>
  );
}

function Nothing({ query }: { query: string }) {
  const words = t.value.memories;
  return query === "" ? <Empty title={words.emptyTitle} text={words.emptyText} /> : <Empty title={words.noneTitle} text={words.noneText} />;
}
