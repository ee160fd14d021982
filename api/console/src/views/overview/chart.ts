// Draws sizes over meditations with uPlot, in the colours of the theme.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { language, t } from "../../i18n";
import { bytes } from "../../i18n/format";

interface Row {
  at: number;
  before: number;
  after: number;
}

// Meditations are evenly spaced, however far apart they were; a few have time labels.
const MOST_LABELS = 6;
const DAY = 86_400;
// Round numbers of bytes for the axis.
const POWERS = Array.from({ length: 41 }, (_, n) => 2 ** n);

function places(nights: number): number[] {
  const step = Math.ceil(nights / MOST_LABELS);
  return Array.from({ length: Math.ceil(nights / step) }, (_, n) => n * step);
}

function labels(rows: Row[]): (night: number) => string {
  const apart = (rows.at(-1)?.at ?? 0) - (rows[0]?.at ?? 0);
  const precise: Intl.DateTimeFormatOptions = apart < 2 * DAY ? { hour: "2-digit", minute: "2-digit" } : { month: "short", day: "numeric" };
  const format = new Intl.DateTimeFormat(language.value, precise);
  return (night) => format.format((rows[night]?.at ?? 0) * 1000);
}

export function draw(place: HTMLElement, rows: Row[], height: number): () => void {
  const colour = (name: string) => getComputedStyle(place).getPropertyValue(name).trim();
  const axis = { stroke: colour("--ink-2"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: `12px ${colour("--sans")}` };
  const label = labels(rows);
  const options: uPlot.Options = {
    width: place.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    axes: [
      { ...axis, splits: () => places(rows.length), values: (_, ticks) => ticks.map(label) },
      { ...axis, size: 70, incrs: POWERS, values: (_, ticks) => ticks.map((tick) => bytes(tick)) },
    ],
    scales: { x: { time: false, range: [-0.3, rows.length - 0.7] }, y: { range: (_, __, most) => [0, most * 1.15] } },
    series: [
      {},
      { label: t.value.overview.before, stroke: colour("--ink-3"), width: 1.5, dash: [4, 4], points: { size: 5 } },
      { label: t.value.overview.after, stroke: colour("--accent"), width: 2, fill: colour("--accent-soft"), points: { size: 6 } },
    ],
  };
  const data: uPlot.AlignedData = [rows.map((_, n) => n), rows.map((row) => row.before), rows.map((row) => row.after)];
  const plot = new uPlot(options, data, place);
  const observer = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height }));
  observer.observe(place);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}
