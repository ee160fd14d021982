// Size before and after each meditation, as a chart that is loaded when there is data.
import { useEffect, useRef } from "preact/hooks";
import type { Meditation } from "../../api/types";
import { language, t } from "../../i18n";
import { bytes, moment } from "../../i18n/format";
import { theme } from "../../state/theme";
import { Empty } from "../../ui/notes";

const HEIGHT = 180;

type Row = { at: number; before: number; after: number };

function rowsOf(nights: Meditation[]): Row[] {
  const sum = (night: Meditation, side: "bytesBefore" | "bytesAfter") => night.tiers.reduce((all, tier) => all + Number(tier[side]), 0);
  const done = nights.filter((night) => night.finishedAt && night.tiers.length > 0);
  return done
    .map((night) => ({ at: Date.parse(night.finishedAt ?? "") / 1000, before: sum(night, "bytesBefore"), after: sum(night, "bytesAfter") }))
    .sort((a, b) => a.at - b.at);
}

export function Growth({ nights }: { nights: Meditation[] }) {
  const words = t.value.overview;
  const rows = rowsOf(nights);
  if (rows.length < 2) return <Empty text={words.nightsEmpty} />;
  return (
    <>
      <Chart rows={rows} />
      <table class="hidden-table">
        <caption>{words.nightsAlt}</caption>
        <tbody>
          {rows.map((row) => (
            <tr key={row.at}><th scope="row">{moment(new Date(row.at * 1000).toISOString())}</th><td>{bytes(row.before)}</td><td>{bytes(row.after)}</td></tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Chart({ rows }: { rows: Row[] }) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = JSON.stringify(rows);
  useEffect(() => {
    let gone = false;
    let tidy = () => {};
    void import("./chart").then(({ draw }) => {
      if (!gone && place.current) tidy = draw(place.current, rows, HEIGHT);
    });
    return () => {
      gone = true;
      tidy();
    };
  }, [drawn, theme.value, language.value]);
  return <div class="chart" ref={place} aria-hidden="true" />;
}
