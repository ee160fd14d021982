// The metadata of a memory.
import type { ComponentChildren } from "preact";
import type { Memory } from "../../api/types";
import { t, word } from "../../i18n";
import { bytes, moment, percent } from "../../i18n/format";
import { linkTo } from "../../state/route";

function rows(memory: Memory): [string, ComponentChildren][] {
  const words = t.value.detail;
  const holds = [memory.validFrom && words.from(moment(memory.validFrom)), memory.validTo && words.until(moment(memory.validTo))];
  const all: [string, ComponentChildren][] = [
    [words.name, memory.name === "" ? "" : <a href={linkTo("core", memory.name)}><bdi>{memory.name}</bdi></a>],
    [words.subject, memory.subject],
    [words.speaker, memory.speaker],
    [words.tags, memory.metadata.tags.join(", ")],
    [words.autoTags, memory.autoTags.join(", ")],
    [words.importance, memory.importance === 0 ? "" : words.ofTen(memory.importance)],
    [words.source, memory.sourceType === "SOURCE_TYPE_UNSPECIFIED" ? "" : word(t.value.words.source, memory.sourceType)],
    [words.confidence, memory.confidence === undefined ? "" : percent(memory.confidence)],
    [words.holds, holds.filter(Boolean).join(" ")],
    [words.occurred, moment(memory.occurredAt)],
    [words.created, moment(memory.createdAt)],
    [words.seen, `${moment(memory.lastSeenAt)} · ${words.uses(Number(memory.accessCount))}`],
    [words.session, memory.sessionId],
    [words.size, bytes(memory.sizeBytes)],
    [words.id, <code>{memory.id}</code>],
  ];
  return all.filter(([, value]) => value !== "");
}

export function Facts({ memory }: { memory: Memory }) {
  return (
    <section class="part">
      <h2>{t.value.detail.facts}</h2>
      <dl class="facts">
        {rows(memory).map(([name, value]) => (
          <div key={name} class="facts-row"><dt>{name}</dt><dd dir="auto">{value}</dd></div>
        ))}
      </dl>
    </section>
  );
}
