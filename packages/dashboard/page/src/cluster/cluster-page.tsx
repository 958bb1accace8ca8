/** Shows nodes with what they offer, pending demand, queues, and every actor. */
import { useComputed } from "@preact/signals";
import {
  type ActorRow,
  actorsPageSchema,
  type NodeRow,
  nodesPageSchema,
  type Summary,
  summarySchema,
} from "../../../src/api/cluster.js";
import { getJson } from "../data/fetch.js";
import { usePoll } from "../data/poll.js";
import { place, withQuery } from "../data/route.js";
import { amountText, durationText } from "../parts/format.js";
import { Card, Loading, Problem, UsedBar } from "../parts/state.js";
import { ActorList } from "./actor-list.js";
import { loadAll } from "./load-all.js";
import { NodeMap } from "./node-map.js";

/** Maximum number of rows on one page. */
const most = 50_000;

interface Everything {
  readonly summary: Summary;
  readonly nodes: readonly NodeRow[];
  readonly actors: readonly ActorRow[];
  readonly complete: boolean;
}

async function load(signal: AbortSignal): Promise<Everything> {
  const [summary, nodes, actors] = await Promise.all([
    getJson("/summary", summarySchema, signal),
    loadAll((page) => getJson(`/nodes?limit=5000&page=${page}`, nodesPageSchema, signal), most),
    loadAll((page) => getJson(`/actors?limit=5000&dead=1&page=${page}`, actorsPageSchema, signal), most),
  ]);
  return { summary, nodes: nodes.rows, actors: actors.rows, complete: nodes.complete && actors.complete };
}

export function ClusterPage() {
  const { now } = usePoll(load, 2_000);
  const node = place.value.query.get("node") ?? "";
  const shown = useComputed(() => {
    const wanted = place.value.query.get("node") ?? "";
    const { value } = now.value;
    return wanted === "" ? value?.actors : value?.actors.filter(({ nodeId }) => nodeId === wanted);
  });
  const { value, error } = now.value;
  if (value === undefined) return error ? <Problem text={error} /> : <Loading />;
  const { summary, nodes, actors, complete } = value;
  return (
    <>
      <h1 class="unseen">Cluster</h1>
      <Problem text={error} />
      <div class="tiles">
        <Counts title="Nodes" counts={summary.nodes} />
        <Counts title="Actors" counts={summary.actors} />
        <section class="card">
          <h2>Resources</h2>
          {Object.entries(summary.total).map(([name, total]) => (
            <UsedBar
              key={name}
              label={name}
              used={summary.used[name] ?? 0}
              total={total}
              text={`${amountText(name, summary.used[name] ?? 0)} of ${amountText(name, total)}`}
            />
          ))}
          {Object.keys(summary.total).length === 0 ? <p class="dim">No node is alive.</p> : null}
        </section>
      </div>
      <Waiting summary={summary} />
      <Card title="Nodes">
        <NodeMap nodes={nodes} actors={actors} chosen={node} />
      </Card>
      <Queues summary={summary} />
      <Card
        title={node ? `Actors of ${nodes.find(({ nodeId }) => nodeId === node)?.hostname ?? node}` : "Actors"}
      >
        {node ? (
          <p>
            <a href={withQuery({ node: "" })}>all nodes</a>
          </p>
        ) : null}
        {complete ? null : <p class="warn">Only the first {most} rows are shown.</p>}
        <ActorList actors={shown.value ?? []} />
      </Card>
    </>
  );
}

function Counts({
  title,
  counts,
}: {
  readonly title: string;
  readonly counts: Readonly<Record<string, number>>;
}) {
  const entries = Object.entries(counts).filter(([state, count]) => count > 0 || state === "alive");
  return (
    <section class="card">
      <h2>{title}</h2>
      <ul class="counts">
        {entries.map(([state, count]) => (
          <li key={state}>
            <b data-count={`${title.toLowerCase()}-${state}`}>{count}</b> <span class="dim">{state}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Waiting({ summary }: { readonly summary: Summary }) {
  const { waiting, waitingCount, autoscaler, atMs } = summary;
  if (waitingCount === 0 && !autoscaler?.error) return null;
  return (
    <Card title={`${waitingCount} wait for a node`}>
      {autoscaler?.error ? (
        <p class="warn">
          autoscaler ({autoscaler.provider}): {autoscaler.error}
        </p>
      ) : null}
      <ul class="plain">
        {waiting.map((shape) => (
          <li key={JSON.stringify(shape.resources) + shape.reason}>
            <b>{shape.count}</b> ×{" "}
            {Object.entries(shape.resources)
              .map(([name, amount]) => `${amountText(name, amount)} ${name}`)
              .join(", ") || "nothing"}{" "}
            for {durationText(atMs - shape.oldestSinceMs)}
            {shape.feasible ? "" : <span class="bad"> (no node is large enough)</span>}: {shape.reason}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Queues({ summary: { queues } }: { readonly summary: Summary }) {
  if (queues.length === 0) return null;
  return (
    <Card title="Queues of runs">
      <div class="wide">
        <table>
          <thead>
            <tr>
              {["queue", "waiting", "active", "waiting for children", "delayed", "failed"].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => (
              <tr key={queue.name}>
                <th scope="row">{queue.name}</th>
                <td>{queue.waiting}</td>
                <td>{queue.active}</td>
                <td>{queue.waitingChildren}</td>
                <td>{queue.delayed}</td>
                <td class={queue.failed > 0 ? "bad" : ""}>{queue.failed}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
