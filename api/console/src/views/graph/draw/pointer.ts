// Pointer input of the drawing: one finger moves it or an entity, two fingers or a wheel zoom, a tap selects.
import type { Camera } from "./camera";
import type { Edge, Layout, Node } from "./layout";

// A pointer that moves less than this has tapped.
const TAP_PX = 5;
const NEAR_PX = 8;
const EDGE_PX = 6;

interface Hands {
  // Called after the camera or a node moved.
  moved: () => void;
  pointed: (on: Node | Edge | undefined) => void;
  picked: (on: Node | Edge) => void;
}

type Point = { x: number; y: number };

export class Pointer {
  private readonly down = new Map<number, Point>();
  private held: Node | undefined;
  private start: Point | undefined;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly layout: Layout,
    private readonly camera: Camera,
    private readonly hands: Hands,
  ) {
    canvas.addEventListener("pointerdown", (event) => this.begin(event));
    canvas.addEventListener("pointermove", (event) => (this.down.has(event.pointerId) ? this.move(event) : this.point(event)));
    canvas.addEventListener("pointerup", (event) => this.end(event, true));
    canvas.addEventListener("pointercancel", (event) => this.end(event, false));
    canvas.addEventListener("pointerleave", () => this.hands.pointed(undefined));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  private begin(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    const at = { x: event.offsetX, y: event.offsetY };
    this.down.set(event.pointerId, at);
    this.start = this.down.size === 1 ? at : undefined;
    this.held = this.down.size === 1 ? this.nodeAt(at) : undefined;
  }

  private move(event: PointerEvent): void {
    const before = this.down.get(event.pointerId);
    const at = { x: event.offsetX, y: event.offsetY };
    if (!before) return;
    if (this.start && Math.hypot(at.x - this.start.x, at.y - this.start.y) < TAP_PX) return;
    this.start = undefined;
    const other = [...this.down].find(([id]) => id !== event.pointerId)?.[1];
    this.down.set(event.pointerId, at);
    if (other) {
      const apart = (point: Point) => Math.max(Math.hypot(point.x - other.x, point.y - other.y), 1);
      this.camera.zoom(apart(at) / apart(before), (at.x + other.x) / 2, (at.y + other.y) / 2);
    } else if (this.held) {
      this.layout.hold(this.held, this.camera.toPlane(at.x, at.y));
    } else {
      this.camera.move(at.x - before.x, at.y - before.y);
    }
    this.hands.moved();
  }

  private end(event: PointerEvent, up: boolean): void {
    this.down.delete(event.pointerId);
    if (this.held) this.layout.hold(this.held);
    const picked = this.held ?? (this.start && this.edgeAt(this.start));
    if (up && this.start && picked) this.hands.picked(picked);
    this.held = undefined;
    this.start = undefined;
  }

  private point(event: PointerEvent): void {
    const at = { x: event.offsetX, y: event.offsetY };
    const on = this.nodeAt(at) ?? this.edgeAt(at);
    this.canvas.dataset["on"] = on === undefined ? "" : "id" in on ? "entity" : "edge";
    this.hands.pointed(on);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.camera.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.offsetX, event.offsetY);
    this.hands.moved();
  }

  private nodeAt({ x, y }: Point): Node | undefined {
    const at = this.camera.toPlane(x, y);
    return this.layout.at(at.x, at.y, NEAR_PX / this.camera.scale);
  }
  private edgeAt({ x, y }: Point): Edge | undefined {
    const at = this.camera.toPlane(x, y);
    return this.layout.edgeAt(at.x, at.y, EDGE_PX / this.camera.scale);
  }
}
