/** Shows one actor: what it is, what it uses, its calls, its output, its stack, and how it ended. */
import { useSignal } from "@preact/signals";
import { shownState } from "../../../src/analysis/actor-order.js";
import { callStatistics } from "../../../src/analysis/call-statistics.js";
import {
  type ActorDetail,
  actorDetailSchema,
  eventsPageSchema,
  type Stack,
  stackSchema,
  useSchema,
} from "../../../src/api/cluster.js";
import { tasksPageSchema } from "../../../src/api/tasks.js";
import { getJson, postJson } from "../data/fetch.js";
import { usePoll } from "../data/poll.js";
import { linkTo } from "../data/route.js";
import { messageOf, session } from "../data/session.js";
import { durationText, timeText } from "../parts/format.js";
import { LogView } from "../parts/log-view.js";
import { Card, Loading, Problem, State } from "../parts/state.js";
import { leasedText } from "./actor-list.js";
import { ProcessFigures } from "./use-figures.js";

async function load(actorId: string, signal: AbortSignal) {
  const id = encodeURIComponent(actorId);
  const [actor, use, calls, events] = await Promise.all([
    getJson(`/actors/${id}`, actorDetailSchema, signal),
    getJson(`/use?id=${id}`, useSchema, signal),
    getJson(`/tasks?limit=5000&actor=${id}`, tasksPageSchema, signal),
    getJson(`/events?limit=50&subject=${id}`, eventsPageSchema, signal),
  ]);
  return { actor, use, calls, events: events.rows };
}

export function ActorPage({ actorId }: { readonly actorId: string }) {
  const { now } = usePoll((signal) => load(actorId, signal), 2_000, actorId);
  const { value, error } = now.value;
  const { actor, use, calls, events } = value ?? {};
  const [used] = use?.series ?? [];
  return (
    <div data-actor={actorId} data-state={actor ? shownState(actor) : ""}>
      <div class="title">
        <h1>
          <a href={linkTo(["cluster"])}>Actors</a> / {actor?.name || actor?.role || actorId}
        </h1>
        {actor ? <State of={shownState(actor)} /> : null}
      </div>
      <Problem text={error} />
      {actor && use ? (
        <>
          <div class="halves">
            <Facts actor={actor} />
            <section class="card">
              <h2>In use</h2>
              {used ? (
                <ProcessFigures use={used} intervalMs={use.intervalMs} />
              ) : (
                <p class="dim">
                  {actor.state === "alive"
                    ? "Its node has not measured it yet; it does so every five seconds, on Linux."
                    : "Nothing in the last 15 minutes."}
                </p>
              )}
              <p class="dim small">
                leased: {leasedText(actor) || "nothing"}
                {actor.sharedProcess
                  ? " · it shares a process with other light actors, whose use is included"
                  : ""}
              </p>
            </section>
          </div>
          <End actor={actor} />
          <Calls rows={calls?.rows ?? []} />
          {actor.incarnation > 0 ? <Output key={actor.incarnation} actor={actor} /> : null}
          {actor.state === "alive" ? <StackOf actorId={actorId} /> : null}
          {events && events.length > 0 ? (
            <Card title="Events">
              <ul class="plain events">
                {events.map((event) => (
                  <li key={event.sequence}>
                    <time class="dim">{timeText(event.atMs)}</time> <b>{event.kind}</b> {event.message}
                  </li>
                ))}
              </ul>
            </Card>
          ) : null}
        </>
      ) : error ? null : (
        <Loading />
      )}
    </div>
  );
}

function Facts({ actor }: { readonly actor: ActorDetail }) {
  const { actorId, role, name, namespace, nodeId, pid, incarnation, restarts, maxRestarts } = actor;
  const { jobId, ownerId, code, exportName, createdAtMs, maxConcurrency, pendingReason } = actor;
  const kinds = [
    actor.taskWorker ? "worker for tasks" : "",
    actor.sharedProcess ? "light" : "",
    actor.detached ? "detached" : "",
    actor.durable ? "durable" : "",
  ].filter(Boolean);
  return (
    <section class="card">
      <h2>{role}</h2>
      <dl class="facts">
        <dt>id</dt>
        <dd>
          <code>{actorId}</code>
        </dd>
        {name ? (
          <>
            <dt>name</dt>
            <dd>{namespace && namespace !== "default" ? `${namespace}/${name}` : name}</dd>
          </>
        ) : null}
        {pendingReason ? (
          <>
            <dt>waits</dt>
            <dd class="warn">{pendingReason}</dd>
          </>
        ) : null}
        <dt>node</dt>
        <dd>
          {nodeId ? <a href={linkTo(["cluster"], { node: nodeId })}>{nodeId}</a> : "none"}
          {pid ? ` · pid ${pid}` : ""}
        </dd>
        <dt>restarts</dt>
        <dd>
          {restarts} of {maxRestarts < 0 ? "any number" : maxRestarts}
          {incarnation > 1 ? ` · process ${incarnation}` : ""}
        </dd>
        <dt>class</dt>
        <dd>
          {exportName || "–"} <span class="dim">{code}</span>
        </dd>
        {kinds.length > 0 ? (
          <>
            <dt>kind</dt>
            <dd>{kinds.join(", ")}</dd>
          </>
        ) : null}
        <dt>calls at once</dt>
        <dd>{maxConcurrency || "1, or 1,000 for a class with async methods"}</dd>
        <dt>owner</dt>
        <dd>
          {/^(actor|worker)-/.test(ownerId) ? (
            <a href={linkTo(["cluster", "actor", ownerId])}>{ownerId}</a>
          ) : (
            ownerId || "–"
          )}
        </dd>
        {jobId ? (
          <>
            <dt>job</dt>
            <dd>
              <a href={linkTo(["jobs", jobId])}>{jobId}</a>
            </dd>
          </>
        ) : null}
        <dt>created</dt>
        <dd>
          <time>{timeText(createdAtMs)}</time>
        </dd>
      </dl>
    </section>
  );
}

/** The certificate of the last death, and the error of a constructor. */
function End({ actor: { certificate, error, state } }: { readonly actor: ActorDetail }) {
  if (certificate === undefined && error === undefined) return null;
  const isOver = state === "dead";
  return (
    <section class="card" data-certificate>
      <h2>
        {isOver ? "How it ended" : "How its last process ended"}
        {certificate?.asked ? <span class="dim small">this end was asked for</span> : null}
      </h2>
      {certificate ? (
        <>
          <p class={certificate.asked ? "dim" : "bad"}>{certificate.reason}</p>
          <dl class="facts">
            <dt>died</dt>
            <dd>
              <time>{timeText(certificate.diedAtMs)}</time>
            </dd>
            {certificate.exitCode === undefined ? null : (
              <>
                <dt>exit code</dt>
                <dd>{certificate.exitCode}</dd>
              </>
            )}
            {certificate.signal ? (
              <>
                <dt>signal</dt>
                <dd>{certificate.signal}</dd>
              </>
            ) : null}
            <dt>process</dt>
            <dd>
              {certificate.pid ? `pid ${certificate.pid}` : "none"}
              {certificate.nodeId ? ` on ${certificate.nodeId}` : ""}
            </dd>
          </dl>
          {certificate.lastStderrLines.length > 0 ? (
            <>
              <h3>Its last lines on standard error</h3>
              <pre class="log short" tabIndex={0} role="group" aria-label="last lines on standard error">
                {certificate.lastStderrLines.join("\n")}
              </pre>
            </>
          ) : null}
        </>
      ) : null}
      {error ? (
        <>
          <h3>The error of its module or constructor</h3>
          <pre class="log short" tabIndex={0} role="group" aria-label="error of the constructor">
            {error.stack || `${error.code}: ${error.message}`}
          </pre>
        </>
      ) : null}
    </section>
  );
}

function Calls({ rows }: { readonly rows: Parameters<typeof callStatistics>[0] }) {
  const methods = callStatistics(rows);
  return (
    <Card title="Calls">
      {methods.length === 0 ? (
        <p class="dim">No call of it has been reported.</p>
      ) : (
        <div class="wide" tabIndex={0} role="group" aria-label="Calls by method">
          <table>
            <thead>
              <tr>
                {[
                  "method",
                  "finished",
                  "failed",
                  "running",
                  "waiting",
                  "median",
                  "longest",
                  "last error",
                ].map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {methods.map((method) => (
                <tr key={method.name}>
                  <th scope="row">{method.name}</th>
                  <td>{method.finished}</td>
                  <td class={method.failed > 0 ? "bad" : ""}>{method.failed}</td>
                  <td>{method.running}</td>
                  <td>{method.waiting}</td>
                  <td>{method.medianMs === undefined ? "–" : durationText(method.medianMs)}</td>
                  <td>{method.longestMs === undefined ? "–" : durationText(method.longestMs)}</td>
                  <td class="small">
                    {method.lastError ? (
                      <>
                        <time class="dim">{timeText(method.lastErrorAtMs)}</time> {method.lastError}
                      </>
                    ) : (
                      "–"
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="dim small">
        The newest calls that the head keeps; of very many successful ones it keeps a sample, of failures all
        that it can.
      </p>
    </Card>
  );
}

function Output({ actor: { actorId, incarnation } }: { readonly actor: ActorDetail }) {
  const shown = useSignal(incarnation);
  const path = `api/actors/${encodeURIComponent(actorId)}/log?incarnation=${shown.value}`;
  const first = Math.max(1, incarnation - 20);
  return (
    <section class="card">
      {incarnation > 1 ? (
        <p class="tools">
          <select
            aria-label="Process"
            value={String(shown.value)}
            onChange={(event) => {
              shown.value = Number(event.currentTarget.value);
            }}
          >
            {Array.from({ length: incarnation - first + 1 }, (_, at) => incarnation - at).map((number) => (
              <option key={number} value={String(number)}>
                process {number}
                {number === incarnation ? ", the newest" : ""}
              </option>
            ))}
          </select>
        </p>
      ) : null}
      <LogView key={path} path={path} of="the actor" />
    </section>
  );
}

function StackOf({ actorId }: { readonly actorId: string }) {
  const stack = useSignal<(Stack & { readonly atMs: number }) | undefined>(undefined);
  const problem = useSignal("");
  const busy = useSignal(false);
  // Reading a stack is for those who may change the cluster, as for the command.
  if (typeof session.value !== "object" || !session.value.mayChange) return null;
  const take = async () => {
    busy.value = true;
    try {
      const answer = await postJson(`/actors/${encodeURIComponent(actorId)}/stack`, {}, stackSchema);
      stack.value = { ...answer, atMs: Date.now() };
      problem.value = "";
    } catch (reason) {
      problem.value = messageOf(reason);
    } finally {
      busy.value = false;
    }
  };
  const taken = stack.value;
  return (
    <Card title="Stack">
      <p class="tools">
        <button type="button" disabled={busy.value} onClick={() => void take()}>
          Take its stack
        </button>
        <span class="dim small">also while it computes and answers nothing else</span>
      </p>
      <Problem text={problem.value} />
      {taken ? (
        <div data-stack>
          <p>
            <time class="dim">{timeText(taken.atMs)}</time>{" "}
            {taken.problem ||
              (taken.busy
                ? `runs ${taken.method ? `${taken.method}()` : "JavaScript"}`
                : "is idle: it runs no JavaScript and waits for events")}
          </p>
          {taken.frames.length > 0 ? (
            <pre class="log short" tabIndex={0} role="group" aria-label="frames of the stack">
              {taken.frames.map((frame) => `at ${frame}`).join("\n")}
            </pre>
          ) : null}
        </div>
      ) : null}
    </Card>
  );
}
