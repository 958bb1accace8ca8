/**
 * Tests what a cluster of two nodes under TLS reports about itself in the middle of a run: pages, Prometheus, traces.
 */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTraces } from "@palimpsest/evals";
import { catalog, type MetricName } from "@palimpsest/telemetry";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hasPrometheus, Prometheus, panelsOf, quietMetrics, rulesOf } from "../support/prometheus.js";
import { groupSize, writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { type CollectedSpan, TraceCollector } from "../support/trace-collector.js";
import { TrainingRun } from "../support/training-run.js";
import { until } from "../support/until.js";

if (!hasPrometheus)
  process.stderr.write(
    "skipped: panels and rules, since this machine has no Prometheus: apt-get install prometheus\n",
  );

/** There are enough steps for Prometheus to see counters rise between two scrapes. */
const steps = 16;
const tracedProgram = fileURLToPath(new URL("../support/traced-program.ts", import.meta.url));

/** One metrics page: the types that it declares, and its values by name with labels. */
interface Page {
  readonly role: string;
  readonly types: ReadonlyMap<string, string>;
  readonly lines: readonly string[];
}

let cluster: TestCluster;
let run: TrainingRun;
let pages: readonly Page[];
let headMetrics: string;
let addresses: readonly string[];
let collector: TraceCollector;
let prometheus: Prometheus | undefined;
let programSaid: string;
let stepsWithCollector: number;

/** Reads a page as Prometheus does, with the readers' token file and a reader's certificate. */
async function scrape(
  address: string,
  path: string,
): Promise<{ readonly type: string; readonly text: string }> {
  const [host, port] = address.split(":");
  const certificate = (name: string) => readFileSync(join(cluster.certificates("reader"), name));
  const token = readFileSync(join(cluster.headDir, "reader-token"), "utf8").trim();
  return await new Promise((resolve, reject) => {
    const asked = request(
      {
        ...{ host, port, path, servername: "palimpsest", timeout: 600_000 },
        ...{ ca: certificate("ca.crt"), cert: certificate("tls.crt"), key: certificate("tls.key") },
        headers: { authorization: `Bearer ${token}` },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        response.on("end", () => {
          const type = response.headers["content-type"] ?? "";
          if (response.statusCode === 200) resolve({ type, text });
          else reject(new Error(`${address}${path}: ${response.statusCode} ${text}`));
        });
      },
    );
    asked.on("timeout", () => asked.destroy(new Error(`${address} does not answer`)));
    asked.on("error", reject);
    asked.end();
  });
}

async function pageOf(role: string, address: string): Promise<Page> {
  const { type: contentType, text } = await scrape(address, "/metrics");
  expect(contentType).toContain("text/plain");
  const lines = text.split("\n");
  const types = lines.flatMap((line) => {
    const [, name, type] = line.match(/^# TYPE (\S+) (\S+)$/) ?? [];
    return name && type ? [[name, type] as const] : [];
  });
  return { role, types: new Map(types), lines: lines.filter((line) => line !== "" && !line.startsWith("#")) };
}

/** Returns the sum of all lines of the metric whose labels include the given ones. */
function metricOf(page: Page, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const lines = page.lines.filter(
    (line) => /^[^{ ]+/.exec(line)?.[0] === name && wanted.every((label) => line.includes(label)),
  );
  expect(lines, `${page.role}: ${name}`).not.toEqual([]);
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

function pagesOf(role: string): readonly Page[] {
  const found = pages.filter((page) => page.role === role);
  expect(found, role).not.toEqual([]);
  return found;
}

const sumOf = (
  role: string,
  name: MetricName | `${MetricName}_count`,
  labels: Readonly<Record<string, string>> = {},
) => pagesOf(role).reduce((sum, page) => sum + metricOf(page, name, labels), 0);

beforeAll(async () => {
  collector = await TraceCollector.start();
  cluster = await TestCluster.start({
    ...{ workers: 2, tls: true, workerFlags: ["--traces-endpoint", collector.endpoint] },
  });
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    PALIMPSEST_TLS: cluster.certificates("driver"),
  };
  headMetrics = (await cluster.client.info()).metricsAddress;
  if (hasPrometheus)
    prometheus = await Prometheus.start({
      dir: join(cluster.dir, "prometheus"),
      address: headMetrics,
      tokenFile: join(cluster.headDir, "reader-token"),
      certificates: cluster.certificates("reader"),
    });
  const folder = await cluster.recipeFolder("metrics");
  const train = { steps, groupsPerStep: 4, traceDetail: "tokens" };
  const recipe = writeRecipe(folder, { evaluationTasks: 64, more: { train } });
  run = TrainingRun.start(cluster, recipe, join(folder, "run"), [], traced);
  const program = cluster.run(["job", "submit", tracedProgram, "--follow"], traced);
  const ended = await program;
  programSaid = `${ended.stdout}${ended.stderr}`;
  expect(ended.code, programSaid).toBe(0);
  await run.untilStep(1);
  await until("the branches of the first step", () => {
    const groups = groupsOf(1);
    return groups.length > 0 && groups.every((group) => branchesOf(group).length === groupSize);
  });
  collector.close();
  stepsWithCollector = run.steps.length;
  await run.untilStep(steps);
  await until("its processes are gone", async () => (await cluster.actors("actor")).length === 0);
  // The driver is in its evaluation now; while it is stopped, it keeps its actors alive.
  run.driver.kill("SIGSTOP");
  const [info, nodes, actors] = [
    await cluster.client.info(),
    await cluster.client.nodes(),
    await cluster.client.actors(),
  ];
  addresses = [info, ...nodes, ...actors].map(({ metricsAddress }) => metricsAddress);
  // The head reads the queues every few seconds.
  const head = await run.until("the queues on the head's page", async () => {
    const page = await pageOf("head", headMetrics);
    return page.lines.some((line) => line.includes(`${run.runId}/rollouts`)) && page;
  });
  pages = await Promise.all([
    head,
    ...nodes.map((node) => pageOf("node", node.metricsAddress)),
    ...actors.map((actor) => pageOf(actor.role, actor.metricsAddress)),
  ]);
});

afterAll(async () => {
  // Nothing is asked of the rest of its evaluation.
  run?.driver.kill("SIGKILL");
  await prometheus?.stop();
  expect(await cluster?.stop()).toEqual([]);
});

test("head, node and every actor have a page", () => {
  expect(pages.map(({ role }) => role).sort()).toEqual([
    "head",
    "learner",
    "node",
    "node",
    "reward",
    "rollout",
    "rollout",
  ]);
});

test("the head names all of them for Prometheus to find", async () => {
  const { text } = await scrape(headMetrics, "/targets");
  const groups = JSON.parse(text) as { readonly targets: readonly string[] }[];
  expect(groups.flatMap(({ targets }) => targets).sort()).toEqual([...addresses].sort());
});

test("every name of ours on any page is in the catalog, with its type", () => {
  for (const { role, types } of pages) {
    const ours = [...types].filter(([name]) => name.startsWith("palimpsest_"));
    expect(ours.length, role).toBeGreaterThan(0);
    for (const [name, type] of ours) {
      expect(catalog, role).toHaveProperty(name);
      expect(type, name).toBe(catalog[name as MetricName].type);
    }
  }
});

test("every page has the memory and the event loop of its process", () => {
  for (const page of pages) {
    expect(metricOf(page, "process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
    expect(page.types.has("nodejs_eventloop_lag_seconds")).toBe(true);
  }
});

test("the head counts nodes, actors, leases and the jobs of the queues", () => {
  expect(sumOf("head", "palimpsest_head_nodes", { state: "alive" })).toBe(2);
  expect(sumOf("head", "palimpsest_head_actors", { state: "alive" })).toBe(4);
  expect(sumOf("head", "palimpsest_head_pending_actors")).toBe(0);
  expect(sumOf("head", "palimpsest_head_resources_total_units", { resource: "cpu" })).toBe(8);
  expect(sumOf("head", "palimpsest_head_resources_used_units", { resource: "cpu" })).toBeCloseTo(1.6, 6);
  expect(sumOf("head", "palimpsest_head_rpc_seconds_count")).toBeGreaterThan(0);
  // The count includes the actors of the program that has ended: a task's worker, two actors and four light ones.
  expect(sumOf("head", "palimpsest_head_placement_seconds_count")).toBe(11);
  expect(sumOf("head", "palimpsest_head_state_write_seconds_count")).toBeGreaterThan(0);
  expect(sumOf("head", "palimpsest_queue_jobs", { queue: `${run.runId}/rollouts`, state: "failed" })).toBe(0);
});

test("the node counts processes and objects", () => {
  expect(sumOf("node", "palimpsest_node_processes", { state: "running" })).toBe(4);
  expect(sumOf("node", "palimpsest_node_process_starts_total")).toBe(7);
  expect(sumOf("node", "palimpsest_node_process_start_seconds_count")).toBe(11);
  expect(sumOf("node", "palimpsest_node_objects")).toBeGreaterThan(0);
  expect(sumOf("node", "palimpsest_node_objects_bytes")).toBeGreaterThan(0);
  expect(sumOf("node", "palimpsest_node_objects_transferred_bytes_total")).toBeGreaterThan(0);
});

test("the learner counts its calls, groups, tokens and the steps", () => {
  const last = run.steps.at(-1);
  const sum = (of: (step: (typeof run.steps)[number]) => number) =>
    run.steps.reduce((total, step) => total + of(step), 0);
  expect(sumOf("learner", "palimpsest_actor_calls_total", { method: "trainStep", outcome: "ok" })).toBe(
    steps,
  );
  expect(sumOf("learner", "palimpsest_actor_call_seconds_count", { method: "trainStep" })).toBe(steps);
  expect(sumOf("learner", "palimpsest_learner_policy_version")).toBe(steps);
  expect(sumOf("learner", "palimpsest_learner_updates_total")).toBe(steps);
  expect(sumOf("learner", "palimpsest_learner_trained_tokens_total")).toBe(
    sum(({ update }) => update.tokens),
  );
  expect(sumOf("learner", "palimpsest_learner_gradient_norm")).toBeCloseTo(last?.update.gradientNorm ?? 0, 6);
  expect(sumOf("learner", "palimpsest_training_reward", { part: "reward" })).toBeCloseTo(
    last?.rewardMean ?? -1,
    6,
  );
  expect(sumOf("learner", "palimpsest_training_episodes_total")).toBe(
    sum(({ update }) => update.trajectories),
  );
  expect(sumOf("learner", "palimpsest_training_step_seconds_count", { phase: "update" })).toBe(steps);
  const trained = last?.groupsTrained ?? 0;
  expect(sumOf("learner", "palimpsest_queue_groups_trained_total")).toBe(trained);
  // The page has the ledger's state at the end of the last step: the driver dispatches no more groups.
  expect(sumOf("learner", "palimpsest_queue_groups_dispatched_total")).toBe(trained);
});

test("rollout and reward actors count every episode, and the rollouts' samplers their tokens", () => {
  // Each episode is counted at least once: on a busy machine an episode may be considered lost and run again.
  const episodes = run.steps[0]?.update.trajectories ?? 0;
  const done = (kind: string) => ({ kind, outcome: "ok" });
  expect(sumOf("rollout", "palimpsest_queue_job_seconds_count", done("rollout"))).toBeGreaterThanOrEqual(
    episodes,
  );
  expect(sumOf("reward", "palimpsest_queue_job_seconds_count", done("reward"))).toBeGreaterThanOrEqual(
    episodes,
  );
  // The count includes those of the evaluations.
  const trained = run.steps[0]?.update.tokens ?? 0;
  expect(sumOf("rollout", "palimpsest_sampler_tokens_total", { kind: "sampled" })).toBeGreaterThan(trained);
  expect(sumOf("rollout", "palimpsest_sampler_tokens_total", { kind: "prompt" })).toBeGreaterThan(trained);
});

const sameTrace = (a: CollectedSpan, b: CollectedSpan) => a.traceId === b.traceId;
const only = (spans: readonly CollectedSpan[], what: string): CollectedSpan => {
  const [first] = spans;
  if (first === undefined || spans.length > 1) throw new Error(`${what}: ${spans.length} spans`);
  return first;
};

test("a job's calls are one trace over its processes: submission, driver, call, what it runs, calls beneath it (TRACE-1)", async () => {
  expect(programSaid).toContain(
    "sum 22\nitem 1\nitem 2\nitem 3\nfailed ACTOR_ERROR\ntask 8\nlight 12\nmesh 32,32,32\n",
  );
  const submission = only(collector.named("submit job"), "submit job");
  const driver = only(collector.named("traced program"), "driver");
  expect(driver).toMatchObject({ traceId: submission.traceId, parentSpanId: submission.spanId });
  const asked = only(
    collector.children(driver).filter(({ name }) => name === "ask"),
    "ask, as called",
  );
  const answered = only(collector.children(asked), "ask, as it ran");
  const added = only(collector.children(answered), "add, as called");
  const ran = only(collector.children(added), "add, as it ran");
  expect([asked, answered, added, ran].map(({ name, kind }) => `${name} ${kind}`)).toEqual(
    // SPAN_KIND_CLIENT is 3, SPAN_KIND_SERVER 2.
    ["ask 3", "ask 2", "add 3", "add 2"],
  );
  const pids = [submission, driver, answered, ran].map(({ process }) => process["process.pid"]);
  expect(new Set(pids).size).toBe(4);
  expect(added.process["process.pid"]).toBe(answered.process["process.pid"]);
  // OpenTelemetry rounds each span's start down to a millisecond and shifts its end by as much.
  const roundedNanos = 1_000_000n;
  const within = (inner: CollectedSpan, outer: CollectedSpan) =>
    inner.startTimeUnixNano >= outer.startTimeUnixNano &&
    BigInt(inner.endTimeUnixNano) <= BigInt(outer.endTimeUnixNano) + roundedNanos;
  expect(within(added, answered)).toBe(true);
  // These are the calls of a generator, including those after its first item.
  const counted = only(
    collector.named("count").filter(({ kind }) => kind === 2),
    "count, as it ran",
  );
  expect(collector.children(counted).map(({ name }) => name)).toEqual(["add", "add", "add"]);
  const failed = collector.named("fail");
  expect(failed.map(({ status }) => status.code)).toEqual([2, 2]);
  expect(failed[0]?.attributes["error.type"]).toBe("ACTOR_ERROR");
  const task = only(
    collector.named("traceDouble").filter(({ kind }) => kind === 2),
    "the task",
  );
  expect(sameTrace(task, submission)).toBe(true);
  expect(task.process).toMatchObject({
    "service.name": "palimpsest-task",
    "service.namespace": "palimpsest",
  });
  expect(collector.problems).toEqual([]);
});

test("calls of light actors and of a mesh are spans too, each with what it calls beneath it (TRACE-1)", async () => {
  // Each process sends its spans by itself, some a moment after the job has ended.
  await vi.waitFor(spansOfLightActors, { timeout: 600_000, interval: 100 });
});

function spansOfLightActors(): void {
  const driver = only(collector.named("traced program"), "driver");
  for (const [name, members] of [
    ["relay", 1],
    ["spread", 3],
  ] as const) {
    const called = collector.children(driver).filter((span) => span.name === name);
    expect(
      called.map(({ kind }) => kind),
      name,
    ).toEqual(Array(members).fill(3));
    const actors = called.map((call) => {
      const ran = only(collector.children(call), `${name}, as it ran`);
      const beneath = only(collector.children(ran), `what ${name} called`);
      expect([ran.name, ran.kind, beneath.name, beneath.kind]).toEqual([name, 2, "add", 3]);
      expect(only(collector.children(beneath), "add, as it ran").kind).toBe(2);
      expect(ran.process["process.pid"]).not.toBe(driver.process["process.pid"]);
      return ran.attributes["palimpsest.actor_id"];
    });
    expect(new Set(actors).size, name).toBe(members);
    expect(actors).not.toContain(undefined);
  }
}

const groupsOf = (step: number) =>
  collector.named("group").filter(({ attributes }) => attributes["palimpsest.step"] === step);

/** Returns the spans that follow a group's dispatch: rollout, reward and update. */
function branchesOf(group: CollectedSpan): readonly (readonly CollectedSpan[])[] {
  const rollouts = collector.children(group);
  return rollouts.flatMap((rollout) =>
    collector
      .children(rollout)
      .flatMap((reward) => collector.children(reward).map((train) => [rollout, reward, train])),
  );
}

const treeText = (span: CollectedSpan, depth = 0): string =>
  [
    `${"  ".repeat(depth)}${span.name} ${String(span.attributes["palimpsest.trajectory_id"] ?? "")} ${String(span.process["service.name"])}`,
    ...collector.children(span).map((child) => treeText(child, depth + 1)),
  ].join("\n");

test("each episode is a branch of its group's trace: rollout, reward, update, in their processes (TRACE-2)", async () => {
  const groups = groupsOf(1);
  expect(groups).toHaveLength(4);
  for (const group of groups) {
    expect(group.parentSpanId ?? "").toBe("");
    const size = group.attributes["palimpsest.group_size"];
    const whole = await until(
      "the group's branches",
      () => {
        const branches = branchesOf(group);
        return branches.length === size && branches;
      },
      { explain: () => treeText(group) },
    );
    for (const branch of whole) {
      expect(branch.map(({ name }) => name)).toEqual(["rollout", "reward", "train"]);
      expect(new Set(branch.map(({ attributes }) => attributes["palimpsest.trajectory_id"])).size).toBe(1);
      expect(branch.map(({ process }) => process["service.name"])).toEqual([
        "palimpsest-rollout",
        "palimpsest-reward",
        "palimpsest-learner",
      ]);
      // The link leads to the learner's call in the driver's trace.
      const [link] = branch[2]?.links ?? [];
      const step = collector.spans.find(({ spanId }) => spanId === link?.spanId);
      expect(step).toMatchObject({ name: "trainStep", kind: 2 });
    }
  }
  expect(sumOf("rollout", "palimpsest_actor_trace_spans_total", { outcome: "exported" })).toBeGreaterThan(0);
});

test.skipIf(!hasPrometheus)(
  "Prometheus finds every process under TLS; every panel and rule has data, or a reason in deploy/prometheus/without-data.json",
  async () => {
    const live = prometheus;
    if (live === undefined) throw new Error("Prometheus was not started");
    const roles = pages.map(({ role }) => role).sort();
    await until("Prometheus scrapes all of them", async () => (await live.roles()).join() === roles.join());
    await until("its rules are well", async () => (await live.brokenRules()).length === 0);
    const quiet = quietMetrics();
    const shown = [...panelsOf(["cluster", "queues", "training", "sampler", "agents"]), ...rulesOf()];
    const named = ({ expression }: { readonly expression: string }) =>
      [...quiet.keys()].filter((metric) =>
        new RegExp(`\\b${metric}(_bucket|_sum|_count)?\\b`).test(expression),
      );
    expect([...quiet.keys()].filter((metric) => !shown.some((one) => named(one).includes(metric)))).toEqual(
      [],
    );
    const expected = shown.filter((one) => named(one).length === 0);
    expect(expected.length).toBeGreaterThan(80);
    const empty = async () => {
      const had = await Promise.all(expected.map(({ expression }) => live.hadData(expression)));
      return expected.filter((_, at) => !had[at]).map(({ where, expression }) => `${where}: ${expression}`);
    };
    // A rate needs two scrapes of a process.
    await until("every panel has data", async () => (await empty()).length === 0, {
      ...{ everyMs: 1_000 },
    }).catch(() => undefined);
    expect(await empty()).toEqual([]);
  },
);

test("a collector that is killed in the middle of a run takes spans along, and no step", async () => {
  expect(stepsWithCollector).toBeLessThan(steps);
  expect(run.steps).toHaveLength(steps);
  const [learner] = await cluster.actors("learner");
  // The exporter retries for some seconds.
  await until("spans that did not arrive are counted", async () => {
    const page = await pageOf("learner", learner?.metricsAddress ?? "");
    return metricOf(page, "palimpsest_actor_trace_spans_total", { outcome: "failed" }) > 0;
  });
});

test("traces with tokens say what the update made of each: advantage, ratio, clip", async () => {
  const file = join(run.folder, "traces", `step-${String(steps).padStart(8, "0")}.jsonl`);
  let conversations = 0;
  for await (const trace of readTraces(file))
    for (const { advantage, ratios, clipped, sampledTokenIds, rolloutLogprobs } of trace.conversations) {
      conversations += 1;
      expect(Number.isFinite(advantage)).toBe(true);
      expect(ratios).toHaveLength(sampledTokenIds?.length ?? 0);
      expect(rolloutLogprobs).toHaveLength(sampledTokenIds?.length ?? 0);
      // There is one optimizer step per update, so the policy is the one with which the ratio compares it.
      expect(ratios?.every((ratio) => ratio === 1)).toBe(true);
      expect(clipped).toEqual([]);
    }
  expect(conversations).toBeGreaterThan(0);
});
