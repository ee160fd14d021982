// Core memory and files: the list on one side, the selected one or the whole prompt on the other.
import { blocks, names } from "../../api/named";
import { t } from "../../i18n";
import { version } from "../../state/live";
import { useLoad } from "../../state/load";
import { linkTo, route } from "../../state/route";
import { user } from "../../state/session";
import { Icon } from "../../ui/icon";
import { Refusal } from "../../ui/notes";
import { Head } from "../../ui/page";
import { Blocks } from "./blocks";
import { Files } from "./files";
import { Named } from "./named";
import { Prompt } from "./prompt";

export const CORE = "core/";

export function CoreAndFiles() {
  const words = t.value.core;
  const core = useLoad(blocks, [user.value, version.value]);
  const all = useLoad(names, [user.value, version.value]);
  const { rest } = route.value;
  const again = () => (core.again(), all.again());
  const files = (all.data ?? []).filter(({ name }) => !name.startsWith(CORE));
  return (
    <>
      <Head title={words.title} lead={words.lead} />
      <div class={rest === "" ? "named" : "named has-detail"}>
        <div class="named-list">
          {core.error ? <Refusal error={core.error} again={again} /> : null}
          <Blocks core={core.data} again={again} />
          <Files files={files} loaded={all.data !== undefined} again={again} />
        </div>
        <div class="named-detail">
          {rest === "" ? <Prompt /> : (
            <>
              <a class="back" href={linkTo("core")}><Icon name="back" />{words.prompt}</a>
              <Named key={rest} name={rest} readOnly={isReadOnly(rest)} again={again} />
            </>
          )}
        </div>
      </div>
    </>
  );

  function isReadOnly(name: string): boolean {
    const block = core.data?.blocks.find((one) => one.name === name);
    return (block?.detail?.["block"] as { readOnly?: boolean } | undefined)?.readOnly ?? false;
  }
}
