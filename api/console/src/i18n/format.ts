// Formats numbers, sizes and times. Formatters are cached: creating one costs more than many uses, and a list
// that scrolls uses hundreds.
import { language } from "./index";

function kept<T>(make: (language: string, digits: number) => T): (digits?: number) => T {
  const made = new Map<string, T>();
  return (digits = 0) => {
    const name = `${language.value} ${digits}`;
    const known = made.get(name) ?? make(language.value, digits);
    made.set(name, known);
    return known;
  };
}

const plain = kept((of, digits) => new Intl.NumberFormat(of, { maximumFractionDigits: digits }));
const hundredths = kept((of) => new Intl.NumberFormat(of, { minimumFractionDigits: 2, maximumFractionDigits: 2 }));
const shares = kept((of) => new Intl.NumberFormat(of, { style: "percent", maximumFractionDigits: 0 }));
const spans = kept((of) => new Intl.RelativeTimeFormat(of, { numeric: "auto" }));
const moments = kept((of) => new Intl.DateTimeFormat(of, { dateStyle: "medium", timeStyle: "short" }));

export function number(value: number | string, digits = 0): string {
  return plain(digits).format(Number(value));
}

export function percent(share: number): string {
  return shares().format(share);
}

export function score(value: number): string {
  return hundredths().format(value);
}

export function bytes(value: number | string): string {
  let rest = Number(value);
  for (const unit of ["B", "KiB", "MiB", "GiB"]) {
    if (rest < 1024 || unit === "GiB") return `${number(rest, rest < 10 && unit !== "B" ? 1 : 0)} ${unit}`;
    rest /= 1024;
  }
  return "";
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

export function relative(time: string): string {
  const seconds = (Date.parse(time) - Date.now()) / 1000;
  const [unit, length] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return unit === "second" ? spans().format(0, "second") : spans().format(Math.round(seconds / length), unit);
}

export function moment(time: string): string {
  return moments().format(Date.parse(time));
}
