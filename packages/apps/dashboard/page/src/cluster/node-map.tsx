/** Shows every node as a tile: what it really uses, what of it is leased, and one square for each of its actors. */
import { useEffect, useRef } from "preact/hooks";
import type { ActorRow, NodeRow, Use } from "../../../src/api/cluster.js";
import { withQuery } from "../data/route.js";
import { amountText } from "../parts/format.js";
import { LeaseBar, State } from "../parts/state.js";
import { NodeFigures } from "./use-figures.js";

const square = 7;
const gap = 1;

export function NodeMap({ nodes, actors, chosen, use }: NodeMapProps) {
  const useOf = new Map(use?.series.map((series) => [series.id, series]));
  const byNode = new Map<string, ActorRow[]>();
  for (const actor of actors) {
    if (actor.state === "dead") continue;
    const known = byNode.get(actor.nodeId);
    if (known) known.push(actor);
    else byNode.set(actor.nodeId, [actor]);
  }
  if (nodes.length === 0)
    return <p class="dim">No node has joined: start one with palimpsest worker join.</p>;
  return (
    <ul class="nodes">
      {nodes.map((node) => {
        const own = byNode.get(node.nodeId) ?? [];
        const used = useOf.get(node.nodeId);
        return (
          <li key={node.nodeId} class="node">
            <h3>
              <a
                href={withQuery({ node: chosen === node.nodeId ? "" : node.nodeId })}
                aria-current={chosen === node.nodeId ? "true" : undefined}
              >
                {node.hostname}
              </a>
              <State of={node.state} />
            </h3>
            <p class="dim small">
              {node.nodeId} · pid {node.pid} · {own.length} {own.length === 1 ? "actor" : "actors"}
            </p>
            {used && use && node.state !== "dead" ? (
              <NodeFigures use={used} intervalMs={use.intervalMs} />
            ) : null}
            <h4>Leased</h4>
            <div class="leases">
              {Object.entries(node.total).map(([name, total]) => {
                const leased = total - (node.available[name] ?? 0);
                const text = `${amountText(name, leased)} of ${amountText(name, total)}`;
                return <LeaseBar key={name} label={name} used={leased} total={total} text={text} />;
              })}
            </div>
            <Squares actors={own} label={node.hostname} />
          </li>
        );
      })}
    </ul>
  );
}

interface NodeMapProps {
  readonly nodes: readonly NodeRow[];
  readonly actors: readonly ActorRow[];
  readonly chosen: string;
  readonly use: Use | undefined;
}

const colors: Readonly<Record<string, string>> = {
  alive: "--good",
  starting: "--mark",
  pending: "--warn",
  restarting: "--warn",
};

/** A canvas draws thousands of actors as one element. */
function Squares({ actors, label }: { readonly actors: readonly ActorRow[]; readonly label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context) return;
    const width = element.clientWidth;
    const across = Math.max(1, Math.floor(width / (square + gap)));
    const height = Math.max(1, Math.ceil(actors.length / across)) * (square + gap);
    const scale = devicePixelRatio;
    element.style.height = `${height}px`;
    element.width = width * scale;
    element.height = height * scale;
    context.scale(scale, scale);
    const style = getComputedStyle(element);
    const fills = new Map<string, string>();
    actors.forEach(({ state }, index) => {
      const name = colors[state] ?? "--dim";
      const fill = fills.get(name) ?? style.getPropertyValue(name);
      fills.set(name, fill);
      context.fillStyle = fill;
      const x = (index % across) * (square + gap);
      context.fillRect(x, Math.floor(index / across) * (square + gap), square, square);
    });
  });
  if (actors.length === 0) return null;
  return (
    <canvas
      class="squares"
      ref={canvas}
      role="img"
      aria-label={`${actors.length} actors of ${label}, by state`}
    />
  );
}
