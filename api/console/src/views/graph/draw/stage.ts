// The whole drawing: a canvas that is painted only after a change.
import type { Subgraph } from "../../../api/graph";
import { keyOf } from "../shown";
import { Camera } from "./camera";
import { Layout, MANY, type Edge, type Node } from "./layout";
import { focusOn, paint, styleOf, type Focus, type Style } from "./paint";
import { Pointer } from "./pointer";

const MOST_RATIO = 2;

export class Stage {
  private readonly canvas = document.createElement("canvas");
  private readonly on = this.canvas.getContext("2d");
  private readonly layout = new Layout();
  private readonly camera = new Camera();
  private readonly still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  private readonly observer = new ResizeObserver(() => this.resize());
  private style: Style;
  private shown: Subgraph["entities"] | undefined;
  // An entity by its id, or an edge by its key; an edge takes precedence.
  private chosen = "";
  private edge = "";
  private pointed: Node | Edge | undefined;
  private focus: Focus;
  // Whether the camera follows the layout; ends once a person moves it.
  private fitting = true;
  private frame = 0;
  private painting = false;
  private ratio = 1;

  constructor(
    private readonly place: HTMLElement,
    pick: (id: string) => void,
    pickEdge: (key: string) => void,
  ) {
    this.style = styleOf(place);
    this.focus = focusOn(this.layout, undefined);
    place.append(this.canvas);
    this.observer.observe(place);
    new Pointer(this.canvas, this.layout, this.camera, {
      moved: () => this.moved(),
      pointed: (on) => this.point(on),
      picked: (on) => ("id" in on ? pick(on.id) : pickEdge(keyOf(on.edge))),
    });
  }

  show(graph: Subgraph | undefined, chosen: string, edge: string): void {
    this.chosen = chosen;
    this.edge = edge;
    if (graph && graph.entities !== this.shown) {
      this.shown = graph.entities;
      if (this.layout.show(graph)) this.fitting = true;
      this.pointed = undefined;
    }
    this.refocus();
  }

  restyle(): void {
    this.style = styleOf(this.place);
    this.ask();
  }

  zoom(factor: number): void {
    this.camera.zoom(factor);
    this.moved();
  }

  fit(): void {
    this.fitting = true;
    this.ask();
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.canvas.remove();
  }

  private moved(): void {
    this.fitting = false;
    this.ask();
  }

  private point(on: Node | Edge | undefined): void {
    if (on === this.pointed) return;
    this.pointed = on;
    this.refocus();
  }

  private refocus(): void {
    const edge = this.edge === "" ? undefined : this.layout.edges.find(({ edge }) => keyOf(edge) === this.edge);
    const node = this.layout.nodes.find(({ id }) => id === this.chosen);
    this.focus = focusOn(this.layout, this.pointed ?? edge ?? node);
    this.ask();
  }

  private resize(): void {
    this.ratio = Math.min(devicePixelRatio, MOST_RATIO);
    this.camera.width = this.place.clientWidth;
    this.camera.height = this.place.clientHeight;
    this.canvas.width = Math.round(this.camera.width * this.ratio);
    this.canvas.height = Math.round(this.camera.height * this.ratio);
    // Resizing clears a canvas; painting at once avoids a white frame.
    this.paint();
    this.ask();
  }

  private ask(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private draw(): void {
    // With many entities, frames alternate between layout and painting, because both together take too long.
    this.painting = !this.painting && this.layout.nodes.length > MANY;
    if (!this.layout.settled && !this.painting) this.layout.work();
    const { settled } = this.layout;
    if (!settled) this.ask();
    // With reduced motion only the final layout is shown.
    const turn = this.painting || this.layout.nodes.length <= MANY;
    if (settled || (turn && !this.still)) this.paint();
    this.place.dataset["settled"] = String(settled && this.layout.nodes.length > 0);
  }

  private paint(): void {
    if (!this.on || this.camera.width === 0) return;
    if (this.fitting) this.camera.fit(this.layout.nodes);
    paint(this.on, this.ratio, this.layout, this.camera, this.style, this.focus);
  }
}
