// Earlier versions: compare with the current one, and restore.
import { useState } from "preact/hooks";
import { diff, goBack, versions } from "../../api/named";
import type { Version } from "../../api/types";
import { t } from "../../i18n";
import { bytes } from "../../i18n/format";
import { useLoad } from "../../state/load";
import { failed, said } from "../../state/toasts";
import { When } from "../../ui/marks";
import { Section } from "../../ui/page";
import { Diff } from "./diff";

interface Of {
  name: string;
  turn: number;
  reread: () => void;
}

export function Versions({ name, turn, reread }: Of) {
  const words = t.value.core;
  const { data } = useLoad((signal) => versions(name, signal), [name, turn]);
  const [compared, compare] = useState<string>();
  const back = (version: Version) => () => {
    const undo = () => goBack(name, "0").then(reread);
    goBack(name, version.version).then(() => (said(t.value.toasts.saved, undo), compare(undefined), reread())).catch(failed);
  };
  return (
    <Section title={words.versions}>
      {data?.versions.length === 0 && <p class="hint">{words.versionsEmpty}</p>}
      <ul class="versions">
        {data?.versions.map((version) => (
          <li key={version.version}>
            <div class="version">
              <span class="version-name">{words.version(version.version)}</span>
              <span class="hint"><When at={version.writtenAt} /> · {bytes(version.bytes)}{version.reason !== "" && <> · <bdi>{version.reason}</bdi></>}</span>
              <span class="actions">
                <button type="button" class="button is-quiet" aria-expanded={compared === version.version} onClick={() => compare(compared === version.version ? undefined : version.version)}>
                  {words.compare}
                </button>
                <button type="button" class="button is-quiet" onClick={back(version)}>{words.goBack}</button>
              </span>
            </div>
            {compared === version.version && <Compared name={name} version={version.version} turn={turn} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Compared({ name, version, turn }: { name: string; version: string; turn: number }) {
  const { data } = useLoad((signal) => diff(name, version, signal), [name, version, turn]);
  if (!data) return null;
  return data.diff === "" ? <p class="hint">{t.value.core.same}</p> : <Diff text={data.diff} />;
}
