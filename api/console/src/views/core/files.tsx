// Files: records with a name that are not part of core memory.
import { remember } from "../../api/memories";
import type { NamedRecord } from "../../api/types";
import { t } from "../../i18n";
import { bytes } from "../../i18n/format";
import { go, linkTo, route } from "../../state/route";
import { failed, said } from "../../state/toasts";
import { Icon } from "../../ui/icon";
import { When } from "../../ui/marks";
import { Empty } from "../../ui/notes";
import { Section } from "../../ui/page";
import { NewName } from "./new-name";

interface Of {
  files: NamedRecord[];
  loaded: boolean;
  again: () => void;
}

export function Files({ files, loaded, again }: Of) {
  const words = t.value.core;
  const add = (name: string) => {
    remember({ name, content: "", kind: "KIND_NOTE" }).then(() => (said(t.value.toasts.saved), again(), go("core", name))).catch(failed);
  };
  return (
    <Section title={words.files} aside={<span class="count">{files.length}</span>}>
      {loaded && files.length === 0 && <Empty text={words.filesEmpty} />}
      <ul class="names">
        {files.map((file) => (
          <li key={file.id}>
            <a class="name" href={linkTo("core", file.name)} aria-current={route.value.rest === file.name ? "true" : undefined}>
              <span class="name-text"><Icon name="file" /><bdi>{file.name}</bdi></span>
              <span class="name-hint"><When at={file.updatedAt} /></span>
              <span class="name-size">{bytes(file.contentBytes)}</span>
            </a>
          </li>
        ))}
      </ul>
      <NewName button={words.newFile} label={words.path} hint={words.pathHint} add={add} />
    </Section>
  );
}
