// The icons of the console, drawn as lines of one weight.
const PATHS = {
  brand: "M20 14.6A8.2 8.2 0 1 1 10.2 4a7 7 0 0 0 9.8 10.6zM16.5 5.5h.01",
  overview: "M4 20V11M10 20V4M16 20v-7M21 20H3",
  memories: "M5 5h14M5 10h14M5 15h9M5 20h6",
  moon: "M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.5 10.500z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.400M17.6 17.6 19 19M19 5l-1.4 1.400M6.4 17.6 5 19",
  review: "M9 11l3 3 8-8M20 12v7H4V5h10",
  graph: "M6 4a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM18.5 6a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM10.5 15.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8.4 7l7.7 1M7.1 8.8l2.5 6.9M16.9 10.5l-4.7 5.6",
  core: "M12 3l8 4.5-8 4.5-8-4.500zM4 12l8 4.5 8-4.500M4 16.5 12 21l8-4.5",
  context: "M4 5h16v11H9l-5 4zM8 9h8M8 12h5",
  leave: "M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5",
  filter: "M4 6h16M7 12h10M10 18h4",
  back: "M14 5l-7 7 7 7",
  close: "M6 6l12 12M18 6 6 18",
  shield: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z",
  plus: "M12 5v14M5 12h14",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
