// The visible part of the plane, and its scale.
import type { Node } from "./layout";

const LEAST = 0.05;
const MOST = 5;
// Limits the scale, so that a few entities do not fill the whole area.
const MOST_FITTED = 1.6;
const MARGIN = 36;

export class Camera {
  scale = 1;
  x = 0;
  y = 0;
  width = 0;
  height = 0;

  toPlane(x: number, y: number): { x: number; y: number } {
    return { x: (x - this.x) / this.scale, y: (y - this.y) / this.scale };
  }

  // Zooms while the given point stays in place.
  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    const scale = Math.min(Math.max(this.scale * factor, LEAST), MOST);
    this.x = x - ((x - this.x) / this.scale) * scale;
    this.y = y - ((y - this.y) / this.scale) * scale;
    this.scale = scale;
  }

  move(x: number, y: number): void {
    this.x += x;
    this.y += y;
  }

  // Makes all entities visible.
  fit(nodes: readonly Node[]): void {
    if (nodes.length === 0 || this.width === 0) return;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { x, y, radius } of nodes) {
      left = Math.min(left, x - radius);
      right = Math.max(right, x + radius);
      top = Math.min(top, y - radius);
      bottom = Math.max(bottom, y + radius);
    }
    const wide = (this.width - 2 * MARGIN) / Math.max(right - left, 1);
    const high = (this.height - 2 * MARGIN) / Math.max(bottom - top, 1);
    this.scale = Math.min(Math.max(Math.min(wide, high), LEAST), MOST_FITTED);
    this.x = this.width / 2 - ((left + right) / 2) * this.scale;
    this.y = this.height / 2 - ((top + bottom) / 2) * this.scale;
  }
}
