// The state of the memory: what is stored, how full the tiers are, and meditations before and ahead.
import { metrics, server } from "../../api/system";
import { nights } from "../../api/nights";
import { t } from "../../i18n";
import { bytes, number } from "../../i18n/format";
import { live, version } from "../../state/live";
import { useLoad } from "../../state/load";
import { user } from "../../state/session";
import { Loading, Refusal } from "../../ui/notes";
import { Head, Section } from "../../ui/page";
import { Activity } from "./activity";
import { Growth } from "./growth";
import { Health } from "./health";
import { Nights } from "./nights";
import { Tiers } from "./tiers";

export function Overview() {
  const words = t.value.overview;
  const usage = useLoad(metrics, [user.value, version.value]);
  const past = useLoad((signal) => nights(30, signal), [user.value, version.value]);
  if (usage.error && !usage.data) return <Refusal error={usage.error} again={usage.again} />;
  if (!usage.data) return <Loading />;
  const { tiers, archive } = usage.data;
  const items = tiers.reduce((sum, tier) => sum + Number(tier.items), 0);
  const size = tiers.reduce((sum, tier) => sum + Number(tier.bytes), 0);
  return (
    <>
      <Head title={words.title} />
      {items === 0 && <FirstSteps />}
      <div class="overview">
        <div class="overview-side">
          <div class="hero">
            <p class="hero-number">{number(items)}</p>
            <p class="hero-label">{words.kept(items)}</p>
            <p class="hero-sub">{bytes(size)} · {words.ever}: {number(usage.data.itemsCreated)}</p>
          </div>
          <Nights last={past.data?.meditations[0]} next={usage.data.nextMeditation} />
          <Section title={words.health}><Health usage={usage.data} /></Section>
        </div>
        <div class="overview-main">
          <Section title={words.tiers}><Tiers tiers={tiers} archive={archive} /></Section>
          <Section title={words.nights}><Growth nights={past.data?.meditations ?? []} /></Section>
          <Section title={words.activity} aside={live.value && <span class="live is-live">{t.value.frame.live}</span>}>
            <Activity />
          </Section>
        </div>
      </div>
    </>
  );
}

function FirstSteps() {
  const words = t.value.overview;
  const { data } = useLoad(server, []);
  const options = data?.defaultUser === user.value ? "" : `--user ${user.value} `;
  return (
    <div class="first">
      <h2>{words.emptyTitle}</h2>
      <p>{words.emptyText}</p>
      <pre class="command" tabIndex={0}><code>{words.emptyCommand(options)}</code></pre>
    </div>
  );
}
