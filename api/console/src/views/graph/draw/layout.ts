// Positions of entities: a force layout in which edges attract, computed a few steps per frame.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type Simulation } from "d3-force";
import type { Subgraph } from "../../../api/graph";
import type { Entity, EntityEdge } from "../../../api/types";
import { TOGETHER } from "../relation";

// Time per frame for the layout; the rest is for drawing.
const BUDGET_MS = 7;
// With more entities, exact forces cost more than they improve.
export const MANY = 400;

// Edges between the same two entities lie on each other.
const SAME = 0.01;

export interface Node {
  readonly id: string;
  entity: Entity;
  radius: number;
  x: number;
  y: number;
  fx?: number | null;
  fy?: number | null;
}

export interface Edge {
  readonly edge: EntityEdge;
  source: Node;
  target: Node;
}

export class Layout {
  nodes: Node[] = [];
  edges: Edge[] = [];
  private readonly forces: Simulation<Node, Edge> = forceSimulation<Node, Edge>([]).stop();

  // Entities that were there before keep their places, so that changes are easy to follow. Reports whether anything moves.
  show({ entities, edges }: Subgraph): boolean {
    const before = new Map(this.nodes.map((node) => [node.id, node]));
    const drawn = this.signature();
    this.nodes = entities.map((entity) => {
      const known = before.get(entity.id) ?? ({ id: entity.id } as Node);
      return Object.assign(known, { entity, radius: 4 + 13 * Math.sqrt(Math.min(Math.max(entity.salience, 0), 1)) });
    });
    const byId = new Map(this.nodes.map((node) => [node.id, node]));
    const said = [...edges.filter(({ relation }) => relation !== TOGETHER), ...edges.filter(({ relation }) => relation === TOGETHER)];
    this.edges = said.flatMap((edge) => {
      const [source, target] = [byId.get(edge.fromId), byId.get(edge.toId)];
      return source && target ? [{ edge, source, target }] : [];
    });
    const moves = this.signature() !== drawn;
    if (moves) this.force(before.size === 0 ? 1 : 0.6);
    return moves;
  }

  private signature(): string {
    return [...this.nodes.map(({ id }) => id), ...this.edges.map(({ source, target }) => source.id + target.id)].join();
  }

  private force(alpha: number): void {
    const many = this.nodes.length > MANY;
    const link = forceLink<Node, Edge>(this.edges).distance(({ edge }) => 95 - 45 * edge.weight);
    this.forces
      .nodes(this.nodes)
      .force("link", link)
      .force("apart", forceManyBody<Node>().strength(many ? -90 : -260).theta(many ? 1.5 : 0.9).distanceMax(600))
      .force("room", many ? null : forceCollide<Node>((node) => node.radius + 9))
      .force("x", forceX<Node>(0).strength(0.05))
      .force("y", forceY<Node>(0).strength(0.07))
      .alphaDecay(many ? 0.04 : 0.03)
      .alpha(alpha);
  }

  get settled(): boolean {
    return this.nodes.length === 0 || this.forces.alpha() < this.forces.alphaMin();
  }

  // Computes as many steps as fit into a frame.
  work(): void {
    const end = performance.now() + BUDGET_MS;
    do this.forces.tick();
    while (!this.settled && performance.now() < end);
  }

  // Fixes a node where it is dragged to; releases it if there is no place.
  hold(node: Node, place?: { x: number; y: number }): void {
    node.fx = place?.x ?? null;
    node.fy = place?.y ?? null;
    if (place) this.forces.alpha(Math.max(this.forces.alpha(), 0.15));
  }

  // The edge at a place, or the nearest within some distance; of several between two entities the most informative one.
  edgeAt(x: number, y: number, near: number): Edge | undefined {
    let found: Edge | undefined;
    let least = near;
    for (const edge of this.edges) {
      const apart = distance(x, y, edge);
      if (apart < least - SAME) [found, least] = [edge, apart];
    }
    return found;
  }

  // The node at a place, or the nearest within some distance.
  at(x: number, y: number, near: number): Node | undefined {
    let found: Node | undefined;
    let least = Infinity;
    for (const node of this.nodes) {
      const apart = Math.hypot(node.x - x, node.y - y) - node.radius;
      if (apart < near && apart < least) [found, least] = [node, apart];
    }
    return found;
  }
}

// The distance of a point from an edge.
function distance(x: number, y: number, { source, target }: Edge): number {
  const [wide, high] = [target.x - source.x, target.y - source.y];
  const along = ((x - source.x) * wide + (y - source.y) * high) / Math.max(wide * wide + high * high, 1);
  const part = Math.min(Math.max(along, 0), 1);
  return Math.hypot(source.x + part * wide - x, source.y + part * high - y);
}
