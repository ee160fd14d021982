// The blocks of core memory and their shared budget.
import { addBlock, blocks } from "../../api/named";
import { t } from "../../i18n";
import { bytes, number } from "../../i18n/format";
import { go, linkTo, route } from "../../state/route";
import { failed, said } from "../../state/toasts";
import { Meter } from "../../ui/bar";
import { Empty } from "../../ui/notes";
import { Section } from "../../ui/page";
import { NewName } from "./new-name";

type Core = Awaited<ReturnType<typeof blocks>>;

export function Blocks({ core, again }: { core: Core | undefined; again: () => void }) {
  const words = t.value.core;
  const add = (label: string) => {
    addBlock(label).then(() => (said(t.value.toasts.saved), again(), go("core", `core/${label}`))).catch(failed);
  };
  const room = core && words.room(bytes(core.bytes), bytes(core.limitBytes));
  return (
    <Section title={words.blocks} aside={room && <span class="hint">{room}</span>}>
      {core && <Meter label={words.blocks} share={Number(core.bytes) / Number(core.limitBytes)} tone="permanent" />}
      {core?.blocks.length === 0 && <Empty text={words.blocksEmpty} />}
      <ul class="names">
        {core?.blocks.map((block) => {
          const detail = block.detail?.["block"] as { description?: string } | undefined;
          return (
            <li key={block.id}>
              <a class="name" href={linkTo("core", block.name)} aria-current={route.value.rest === block.name ? "true" : undefined}>
                <span class="name-text">{block.name.replace(/^core\//, "")}</span>
                <span class="name-hint">{detail?.description}</span>
                <span class="name-size">{number(block.content.length)}</span>
              </a>
            </li>
          );
        })}
      </ul>
      <NewName button={words.newBlock} label={words.label} hint={words.labelHint} pattern="[a-z0-9_\-]{1,64}" add={add} />
    </Section>
  );
}
