// Paints entities and edges on a canvas, in the colours of the theme.
import { t, word } from "../../../i18n";
import { colourOf } from "../type-of";
import type { Camera } from "./camera";
import { MANY, type Edge, type Layout, type Node } from "./layout";

const LONGEST_NAME = 28;
// The height of names in pixels, and the space between them.
const NAME_PX = 13;
const GAP_PX = 4;
const MOST_NAMES = 120;
// Without a graphics card, browsers are fastest with lines of one device pixel, drawn one by one, and with few discs at once.
const HAIR_PX = 0.8;
const AT_ONCE = 40;

export interface Style {
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  readonly paper: string;
  readonly accent: string;
  readonly sans: string;
  readonly types: readonly string[];
}

export function styleOf(place: HTMLElement): Style {
  const of = getComputedStyle(place);
  const colour = (name: string) => of.getPropertyValue(name).trim();
  return {
    ink: colour("--ink"),
    quiet: colour("--ink-2"),
    line: colour("--edge"),
    paper: colour("--sheet"),
    accent: colour("--accent"),
    sans: colour("--sans"),
    types: Array.from({ length: 6 }, (_, n) => colour(`--part-${n}`)),
  };
}

// The highlighted part: the selected or hovered entity with its neighbours, or an edge with its two ends.
export interface Focus {
  // Whether anything is highlighted, so that everything else is paler.
  readonly some: boolean;
  readonly node: Node | undefined;
  readonly near: ReadonlySet<Node>;
  readonly edges: readonly Edge[];
}

export function focusOn(layout: Layout, on: Node | Edge | undefined): Focus {
  const node = on && "id" in on ? on : undefined;
  const touching = () => layout.edges.filter(({ source, target }) => source === node || target === node);
  const edges = on && "edge" in on ? [on] : node ? touching() : [];
  return { some: on !== undefined, node, edges, near: new Set(edges.flatMap(({ source, target }) => [source, target])) };
}

export function paint(on: CanvasRenderingContext2D, ratio: number, layout: Layout, camera: Camera, style: Style, focus: Focus): void {
  on.setTransform(ratio, 0, 0, ratio, 0, 0);
  on.clearRect(0, 0, camera.width, camera.height);
  on.setTransform(ratio * camera.scale, 0, 0, ratio * camera.scale, ratio * camera.x, ratio * camera.y);
  paintEdges(on, layout, camera, style, focus);
  paintNodes(on, layout, camera, style, focus);
  on.setTransform(ratio, 0, 0, ratio, 0, 0);
  paintNames(on, layout, camera, style, focus);
  on.globalAlpha = 1;
}

function paintEdges(on: CanvasRenderingContext2D, { edges }: Layout, camera: Camera, style: Style, focus: Focus): void {
  const groups: Edge[][] = [[], [], [], []];
  for (const edge of edges) groups[Math.min(Math.floor(edge.edge.weight * 4), 3)]?.push(edge);
  on.strokeStyle = style.line;
  groups.forEach((group, strength) => {
    on.globalAlpha = (focus.some ? 0.16 : edges.length > MANY ? 0.34 : 0.6) + 0.06 * strength;
    strokeAll(on, group, edges.length > MANY ? HAIR_PX / camera.scale : (0.8 + 0.7 * strength) / Math.sqrt(camera.scale));
  });
  on.globalAlpha = 1;
  on.strokeStyle = style.accent;
  strokeAll(on, focus.edges, 2 / Math.sqrt(camera.scale));
}

function strokeAll(on: CanvasRenderingContext2D, edges: readonly Edge[], width: number): void {
  on.lineWidth = width;
  for (const { source, target } of edges) {
    on.beginPath();
    on.moveTo(source.x, source.y);
    on.lineTo(target.x, target.y);
    on.stroke();
  }
}

function paintNodes(on: CanvasRenderingContext2D, { nodes }: Layout, camera: Camera, style: Style, focus: Focus): void {
  const groups = new Map<number, Node[]>();
  for (const node of nodes) {
    const colour = colourOf(node.entity.type);
    const group = groups.get(colour);
    if (group) group.push(node);
    else groups.set(colour, [node]);
  }
  on.strokeStyle = style.paper;
  on.lineWidth = 1.5 / Math.sqrt(camera.scale);
  for (const [colour, group] of groups) {
    on.fillStyle = style.types[colour] ?? style.quiet;
    for (const faded of focus.some ? [true, false] : [false]) {
      on.globalAlpha = faded ? 0.3 : 1;
      const these = focus.some ? group.filter((node) => faded !== standsOut(node, focus)) : group;
      for (let at = 0; at < these.length; at += AT_ONCE) {
        discs(on, these.slice(at, at + AT_ONCE));
        if (nodes.length <= MANY) on.stroke();
      }
    }
  }
  if (focus.node) ring(on, focus.node, camera, style);
}

function discs(on: CanvasRenderingContext2D, nodes: readonly Node[]): void {
  on.beginPath();
  for (const { x, y, radius } of nodes) {
    on.moveTo(x + radius, y);
    on.arc(x, y, radius, 0, 2 * Math.PI);
  }
  on.fill();
}

function standsOut(node: Node, focus: Focus): boolean {
  return node === focus.node || focus.near.has(node);
}

function ring(on: CanvasRenderingContext2D, node: Node, camera: Camera, style: Style): void {
  on.globalAlpha = 1;
  on.strokeStyle = style.accent;
  on.lineWidth = 2.5 / Math.sqrt(camera.scale);
  on.beginPath();
  on.arc(node.x, node.y, node.radius + 4 / camera.scale, 0, 2 * Math.PI);
  on.stroke();
}

type Box = readonly [left: number, top: number, right: number, bottom: number];

// Draws names in order of salience where there is space; relations only of highlighted edges.
function paintNames(on: CanvasRenderingContext2D, { nodes }: Layout, camera: Camera, style: Style, focus: Focus): void {
  const taken: Box[] = [];
  on.textAlign = "center";
  on.textBaseline = "middle";
  on.lineJoin = "round";
  on.strokeStyle = style.paper;
  const first = nodes.filter((node) => standsOut(node, focus));
  const rest = focus.some ? [] : nodes;
  on.font = `600 ${NAME_PX}px ${style.sans}`;
  on.fillStyle = style.ink;
  for (const node of [...first, ...rest].slice(0, MOST_NAMES)) {
    const at = node.y * camera.scale + camera.y + node.radius * camera.scale + NAME_PX;
    write(on, short(node.entity.name), node.x * camera.scale + camera.x, at, camera, taken);
  }
  on.font = `500 ${NAME_PX - 2}px ${style.sans}`;
  on.fillStyle = style.quiet;
  for (const { edge, source, target } of focus.edges.slice(0, MOST_NAMES / 4)) {
    const x = ((source.x + target.x) / 2) * camera.scale + camera.x;
    const y = ((source.y + target.y) / 2) * camera.scale + camera.y;
    write(on, word(t.value.words.entityRelation, edge.relation), x, y, camera, taken);
  }
}

function short(name: string): string {
  const letters = [...name.slice(0, 4 * LONGEST_NAME)];
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME).join("")}…` : letters.join("");
}

function write(on: CanvasRenderingContext2D, text: string, x: number, y: number, camera: Camera, taken: Box[]): void {
  const half = on.measureText(text).width / 2 + GAP_PX;
  const box: Box = [x - half, y - NAME_PX / 2 - GAP_PX / 2, x + half, y + NAME_PX / 2 + GAP_PX / 2];
  if (box[2] < 0 || box[0] > camera.width || box[3] < 0 || box[1] > camera.height) return;
  if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) return;
  taken.push(box);
  on.lineWidth = 3.5;
  on.strokeText(text, x, y);
  on.fillText(text, x, y);
}
