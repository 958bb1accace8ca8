/** Shows nodes with what they use and what is leased, pending demand, queues, and every actor. */
import { useComputed } from "@preact/signals";
import { shownState } from "../../../src/analysis/actor-order.js";
import { clusterUse } from "../../../src/analysis/cluster-use.js";
import {
  type ActorRow,
  actorsPageSchema,
  type NodeRow,
  nodesPageSchema,
  type Summary,
  summarySchema,
  type Use,
  useSchema,
} from "../../../src/api/cluster.js";
import { getJson } from "../data/fetch.js";
import { usePoll } from "../data/poll.js";
import { place, withQuery } from "../data/route.js";
import { amountText, bytesText, durationText, percentText } from "../parts/format.js";
import { Card, Loading, Problem } from "../parts/state.js";
import { UseCurve } from "../parts/use-curve.js";
import { ActorList } from "./actor-list.js";
import { ActorPage } from "./actor-page.js";
import { NodeMap } from "./node-map.js";

/** Maximum number of rows on one page. */
const most = 50_000;

interface Everything {
  readonly summary: Summary;
  readonly nodes: readonly NodeRow[];
  readonly actors: readonly ActorRow[];
  readonly use: Use;
  readonly complete: boolean;
}

async function load(signal: AbortSignal): Promise<Everything> {
  const [summary, nodes, actors, use] = await Promise.all([
    getJson("/summary", summarySchema, signal),
    loadAll((page) => getJson(`/nodes?limit=5000&page=${page}`, nodesPageSchema, signal), most),
    loadAll((page) => getJson(`/actors?limit=5000&dead=1&page=${page}`, actorsPageSchema, signal), most),
    getJson("/use", useSchema, signal),
  ]);
  const complete = nodes.complete && actors.complete;
  return { summary, nodes: nodes.rows, actors: actors.rows, use, complete };
}

export function ClusterPage() {
  const [, part, id] = place.value.parts;
  return part === "actor" && id !== undefined ? <ActorPage key={id} actorId={id} /> : <WholeCluster />;
}

function WholeCluster() {
  const { now } = usePoll(load, 2_000);
  const node = place.value.query.get("node") ?? "";
  const shown = useComputed(() => {
    const wanted = place.value.query.get("node") ?? "";
    const { value } = now.value;
    return wanted === "" ? value?.actors : value?.actors.filter(({ nodeId }) => nodeId === wanted);
  });
  const { value, error } = now.value;
  if (value === undefined) return error ? <Problem text={error} /> : <Loading />;
  const { summary, nodes, actors, use, complete } = value;
  const ended = actors.filter((actor) => shownState(actor) === "ended").length;
  const { dead = 0, ...others } = summary.actors;
  const counts = { ...others, dead: Math.max(0, dead - ended), ended };
  const total = clusterUse(use, nodes);
  return (
    <>
      <h1 class="unseen">Cluster</h1>
      <Problem text={error} />
      <div class="tiles">
        <Counts title="Nodes" counts={summary.nodes} />
        <Counts title="Actors" counts={counts} />
        <section class="card">
          <h2>
            In use <span class="dim small">by everything on these machines, the last 15 minutes</span>
          </h2>
          {total.cpuPercent.length === 0 ? (
            <p class="dim">No node is alive.</p>
          ) : (
            <div class="figures">
              <UseCurve
                label="CPU"
                points={total.cpuPercent}
                most={100}
                text={percentText}
                intervalMs={total.intervalMs}
                note={nodes.length > 1 ? "mean of the machines" : "of all cores"}
              />
              <UseCurve
                label="Memory"
                points={total.memoryBytes}
                text={bytesText}
                most={total.memoryTotalBytes}
                intervalMs={total.intervalMs}
                note={`of ${bytesText(total.memoryTotalBytes)}`}
              />
            </div>
          )}
        </section>
      </div>
      <Waiting summary={summary} />
      <ObjectQuotas summary={summary} />
      <Card title="Nodes">
        <NodeMap nodes={nodes} actors={actors} chosen={node} use={use} />
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
        <ActorList actors={shown.value ?? []} use={use} />
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

function ObjectQuotas({ summary: { objectQuotas } }: { readonly summary: Summary }) {
  if (objectQuotas.length === 0) return null;
  return (
    <Card title="Quotas of objects">
      <ul class="plain">
        {objectQuotas.map(({ name, usedBytes, maxBytes, waitingNodes }) => (
          <li key={name}>
            <b>{name}</b>: {bytesText(usedBytes)} of {bytesText(maxBytes)}
            {waitingNodes > 0 ? <span class="warn">, objects wait on {waitingNodes} nodes</span> : ""}
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

/** Loads the pages of a list until there are at least `most` rows. The caller reports that rows are left out. */
async function loadAll<Row>(
  load: (page: string) => Promise<{ readonly rows: readonly Row[]; readonly next: string }>,
  most: number,
): Promise<{ readonly rows: readonly Row[]; readonly complete: boolean }> {
  const rows: Row[] = [];
  let page = "";
  do {
    const answer = await load(page);
    rows.push(...answer.rows);
    page = answer.next;
  } while (page !== "" && rows.length < most);
  return { rows, complete: page === "" };
}
