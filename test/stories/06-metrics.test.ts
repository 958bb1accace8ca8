/** Prometheus pages of every process in the middle of a run. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue, type MetricName } from "@palimpsest/telemetry";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "../support/processes.js";
import { writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { TrainingRun } from "../support/training-run.js";

/** One page: the types it declares and the values it holds, by name with labels. */
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

/** As Prometheus with the file of the readers' token. */
function scrape(): RequestInit {
  const token = readFileSync(join(cluster.headDir, "reader-token"), "utf8").trim();
  return { headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(10_000) };
}

async function pageOf(role: string, address: string): Promise<Page> {
  const response = await fetch(`http://${address}/metrics`, scrape());
  expect(response.status, role).toBe(200);
  expect(response.headers.get("content-type")).toContain("text/plain");
  const lines = (await response.text()).split("\n");
  const types = lines.flatMap((line) => {
    const [, name, type] = line.match(/^# TYPE (\S+) (\S+)$/) ?? [];
    return name && type ? [[name, type] as const] : [];
  });
  return { role, types: new Map(types), lines: lines.filter((line) => line !== "" && !line.startsWith("#")) };
}

/** Sum of every line of that metric whose labels contain all the given ones. */
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
  cluster = await TestCluster.start();
  const folder = await cluster.recipeFolder("metrics");
  const recipe = writeRecipe(folder, { steps: 1, evaluationTasks: 64 });
  run = TrainingRun.start(cluster, recipe, join(folder, "run"));
  await run.untilStep(1);
  // The driver evaluates now; standing still it keeps its actors alive.
  run.driver.kill("SIGSTOP");
  const [info, nodes, actors] = [
    await cluster.client.info(),
    await cluster.client.nodes(),
    await cluster.client.actors(),
  ];
  addresses = [info, ...nodes, ...actors].map(({ metricsAddress }) => metricsAddress);
  headMetrics = info.metricsAddress;
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
}, 240_000);

afterAll(async () => {
  if (run && isAlive(run.driver.pid)) run.driver.kill("SIGCONT");
  await run?.end();
  expect(await cluster?.stop()).toEqual([]);
});

test("head, node and every actor have a page", () => {
  expect(pages.map(({ role }) => role).sort()).toEqual([
    "head",
    "learner",
    "node",
    "reward",
    "rollout",
    "rollout",
  ]);
});

test("the head names all of them for Prometheus to find", async () => {
  const response = await fetch(`http://${headMetrics}/targets`, scrape());
  const groups = (await response.json()) as { readonly targets: readonly string[] }[];
  expect(groups.flatMap(({ targets }) => targets).sort()).toEqual([...addresses].sort());
});

test("every name of ours on any page is in the catalogue, with its type", () => {
  for (const { role, types } of pages) {
    const ours = [...types].filter(([name]) => name.startsWith("palimpsest_"));
    expect(ours.length, role).toBeGreaterThan(0);
    for (const [name, type] of ours) {
      expect(catalogue, role).toHaveProperty(name);
      expect(type, name).toBe(catalogue[name as MetricName].type);
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
  expect(sumOf("head", "palimpsest_head_nodes", { state: "alive" })).toBe(1);
  expect(sumOf("head", "palimpsest_head_actors", { state: "alive" })).toBe(4);
  expect(sumOf("head", "palimpsest_head_pending_actors")).toBe(0);
  expect(sumOf("head", "palimpsest_head_resources_total_units", { resource: "cpu" })).toBe(4);
  expect(sumOf("head", "palimpsest_head_resources_used_units", { resource: "cpu" })).toBeCloseTo(1.6, 6);
  expect(sumOf("head", "palimpsest_head_rpc_seconds_count")).toBeGreaterThan(0);
  expect(sumOf("head", "palimpsest_head_placement_seconds_count")).toBe(4);
  expect(sumOf("head", "palimpsest_head_state_write_seconds_count")).toBeGreaterThan(0);
  expect(sumOf("head", "palimpsest_queue_jobs", { queue: `${run.runId}/rollouts`, state: "failed" })).toBe(0);
});

test("the node counts processes and objects", () => {
  expect(sumOf("node", "palimpsest_node_processes", { state: "running" })).toBe(4);
  expect(sumOf("node", "palimpsest_node_process_starts_total")).toBe(4);
  expect(sumOf("node", "palimpsest_node_process_start_seconds_count")).toBe(4);
  expect(sumOf("node", "palimpsest_node_objects")).toBeGreaterThan(0);
  expect(sumOf("node", "palimpsest_node_objects_bytes")).toBeGreaterThan(0);
  expect(sumOf("node", "palimpsest_node_objects_transferred_bytes_total")).toBeGreaterThan(0);
});

test("the learner counts its calls, groups, tokens and the step", () => {
  const [step] = run.steps;
  expect(sumOf("learner", "palimpsest_actor_calls_total", { method: "trainStep", outcome: "ok" })).toBe(1);
  expect(sumOf("learner", "palimpsest_actor_call_seconds_count", { method: "trainStep" })).toBe(1);
  expect(sumOf("learner", "palimpsest_learner_policy_version")).toBe(1);
  expect(sumOf("learner", "palimpsest_learner_updates_total")).toBe(1);
  expect(sumOf("learner", "palimpsest_learner_trained_tokens_total")).toBe(step?.update.tokens);
  expect(sumOf("learner", "palimpsest_learner_gradient_norm")).toBeCloseTo(step?.update.gradientNorm ?? 0, 6);
  expect(sumOf("learner", "palimpsest_training_reward", { part: "reward" })).toBeCloseTo(
    step?.rewardMean ?? -1,
    6,
  );
  expect(sumOf("learner", "palimpsest_training_episodes_total")).toBe(step?.update.trajectories);
  expect(sumOf("learner", "palimpsest_training_step_seconds_count", { phase: "update" })).toBe(1);
  expect(sumOf("learner", "palimpsest_queue_groups_trained_total")).toBe(step?.groupsTrained);
});

test("rollout and reward actors count every episode, and the rollouts' samplers their tokens", () => {
  // At least once: on a machine under load an episode may be taken for lost and run again.
  const episodes = run.steps[0]?.update.trajectories ?? 0;
  const done = (kind: string) => ({ kind, outcome: "ok" });
  expect(sumOf("rollout", "palimpsest_queue_job_seconds_count", done("rollout"))).toBeGreaterThanOrEqual(
    episodes,
  );
  expect(sumOf("reward", "palimpsest_queue_job_seconds_count", done("reward"))).toBeGreaterThanOrEqual(
    episodes,
  );
  // Those of the evaluations too.
  const trained = run.steps[0]?.update.tokens ?? 0;
  expect(sumOf("rollout", "palimpsest_sampler_tokens_total", { kind: "sampled" })).toBeGreaterThan(trained);
  expect(sumOf("rollout", "palimpsest_sampler_tokens_total", { kind: "prompt" })).toBeGreaterThan(trained);
});
