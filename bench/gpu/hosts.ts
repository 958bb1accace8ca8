/**
 * Measures learners of several hosts, which are processes of this machine with GPUs of their own, against one process that has all of the
 * GPUs: seconds of a step, of its exchange, and the rate. Every case trains the same rows with random weights, with full rows, and hosts
 * exchange by the threads that the product uses. Beside it two processes send each other bytes over as many plain TCP connections. Prints a
 * line of JSON for each start, step and case, and a table at the end; with --json FILE it also writes the figures. A case that has not ended
 * after --limit seconds is stopped, and says how far each host came; the next one follows. Needs built code: `npx tsc -b packages/apps/cli`.
 *
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/hosts.ts [--model 0.5B] [--cases 1x2,2x1] [--rows 4] [--length 2048]
 *   [--micro-batches 128] [--steps 3] [--types auto] [--limit 150] [--json FILE]
 *   A case 2x1 is two processes of one GPU; where the machine has fewer GPUs than a case, its processes share the first.
 *   --micro-batches are those of a whole step: 128 are a million tokens, less than an optimizer step of the full-size recipes has.
 */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { visibleGpus } from "../../packages/learning/jit/src/base/gpu-device.js";
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import {
  createLearner,
  type LearnerConfigInput,
  PairExchange,
  SwapBox,
} from "../../packages/learning/learner/src/index.js";
import { parseModelConfig } from "../../packages/learning/model/src/index.js";
import { type RankAddress, RankThreads } from "../../packages/learning/trainer/src/actors/rank-threads.js";
import { exchangeThreads } from "../../packages/learning/trainer/src/parts/learner-settings.js";
import { grpcNetwork, OwnBulk } from "../../packages/runtime/wire/src/index.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { fullRowGroups } from "../full-rows.js";
import { quickParameters } from "../model/quick-parameters.js";
import { writeResult } from "../result-file.js";
import { exchangedOverTcp } from "../runtime/tcp-pair.js";
import { shapes } from "./shapes.js";

const timeoutMs = 500_000;
/** As the recipes of GPUs have it. */
const threads = exchangeThreads(8);
/** The argument with which this file is one of the hosts. */
const asHost = "as-host";

interface HostCase {
  readonly rank: number;
  readonly hosts: number;
  readonly replicas: number;
  readonly model: keyof typeof shapes;
  readonly rows: number;
  readonly length: number;
  readonly microBatches: number;
  readonly steps: number;
  readonly reduceType: "auto" | "float32" | "bfloat16";
}

interface Step {
  readonly seconds: number;
  readonly exchangeSeconds: number;
  readonly sentBytes: number;
  readonly loss: number;
}

/** What a host has done since it began, in seconds. */
interface Progress {
  readonly did: string;
  readonly atSeconds: number;
  readonly step?: Step;
}

/** What a host sends to the others through the parent, and what comes back. */
type Message =
  | { readonly kind: "address"; readonly address: RankAddress }
  | { readonly kind: "addresses"; readonly addresses: readonly RankAddress[] }
  | {
      readonly kind: "bring";
      readonly from: number;
      readonly to: number;
      readonly tag: string;
      readonly value: unknown;
    }
  | {
      readonly kind: "brought";
      readonly from: number;
      readonly to: number;
      readonly tag: string;
      readonly value: unknown;
    }
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "steps"; readonly steps: readonly Step[] };

async function beHost(given: HostCase): Promise<void> {
  const { rank, hosts, replicas, rows, length, microBatches, steps, reduceType } = given;
  const send = (message: Message) => process.send?.(message);
  const report = (did: string, step?: Step) => {
    const progress = { did, atSeconds: performance.now() / 1000, ...(step ? { step } : {}) };
    send({ kind: "progress", progress });
  };
  const box = new SwapBox(timeoutMs);
  const lanes = new RankThreads(rank, hosts, timeoutMs, threads);
  const answers = new Map<string, (value: unknown) => void>();
  let joined: (addresses: readonly RankAddress[]) => void = () => undefined;
  const addresses = new Promise<readonly RankAddress[]>((resolve) => {
    joined = resolve;
  });
  process.on("message", (message: Message) => {
    if (message.kind === "addresses") joined(message.addresses);
    if (message.kind === "brought") answers.get(`${message.from} ${message.tag}`)?.(message.value);
    if (message.kind === "bring") {
      const { from, tag } = message;
      void box
        .bring(from, tag, message.value)
        .then((value) => send({ kind: "brought", from: rank, to: from, tag, value }));
    }
  });
  const swap = async <Value>(other: number, tag: string, value: Value): Promise<Value> => {
    if (other < rank) return (await box.give(other, tag, value)) as Value;
    const answer = new Promise<unknown>((resolve) => answers.set(`${other} ${tag}`, resolve));
    send({ kind: "bring", from: rank, to: other, tag, value });
    return (await answer) as Value;
  };
  const bulk = new OwnBulk(grpcNetwork({ token: "bench" }), { host: "127.0.0.1", ports: undefined });
  send({ kind: "address", address: await lanes.serve(bulk) });
  lanes.join(await addresses);
  report("met the others");
  const model = parseModelConfig({ ...shapes[given.model], maxPositions: length });
  const peers = new PairExchange(rank, hosts, { swap, lanes: lanes.lanes });
  const memory: LearnerConfigInput["memory"] = replicas > 1 ? { optimizerState: "sharded" } : {};
  const learner = createLearner({
    backend: await loadBackend({ prefer: "tensorflow", threads: 8 }),
    mode: "xla",
    model,
    parameters: quickParameters(model),
    objectives: ["policy"],
    config: {
      ...{ preset: "memagent", reference: "none", kl: { coefficient: 0 }, measureEntropy: false },
      ...{ buckets: [{ rows, length }], replicas, precision: "bfloat16", reduceType, memory },
    },
    ...(hosts > 1 ? { peers } : {}),
  });
  report("made its learner");
  const groups = fullRowGroups({
    rows: rows * microBatches,
    length,
    vocabSize: model.vocabSize,
    groupSize: rows,
  });
  const done: Step[] = [];
  for (let step = 0; step <= steps; step++) {
    const before = { at: performance.now(), ...peers.stats };
    const { loss } = await learner.update(groups);
    const { seconds, sentBytes } = peers.stats;
    const ended: Step = {
      seconds: (performance.now() - before.at) / 1000,
      exchangeSeconds: seconds - before.seconds,
      sentBytes: sentBytes - before.sentBytes,
      loss,
    };
    report(step === 0 ? "first step, which compiles" : `step ${step}`, ended);
    done.push(ended);
  }
  learner.close();
  // The first step compiles.
  send({ kind: "steps", steps: done.slice(1) });
  await new Promise((resolve) => setTimeout(resolve, 500));
  process.exit(0);
}

/** Runs all hosts of a case. @returns the steps of rank 0 @throws if they have not ended after so long */
async function runHosts(
  given: Omit<HostCase, "rank">,
  gpus: number,
  limitSeconds: number,
): Promise<readonly Step[]> {
  const { hosts, replicas } = given;
  const children: ChildProcess[] = [];
  const addresses: RankAddress[] = [];
  const enough = hosts * replicas <= gpus;
  const last = new Array<string>(hosts).fill("nothing");
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const late = () => {
        const far = last.map((did, rank) => `host ${rank} last: ${did}`).join("; ");
        reject(new Error(`not ended after ${limitSeconds} s; ${far}`));
      };
      timer = setTimeout(late, limitSeconds * 1000);
      for (let rank = 0; rank < hosts; rank++) {
        const first = enough ? rank * replicas : 0;
        const own = Array.from({ length: replicas }, (_, at) => first + at).join();
        const child = fork(fileURLToPath(import.meta.url), [asHost, JSON.stringify({ ...given, rank })], {
          serialization: "advanced",
          env: {
            ...process.env,
            TF_FORCE_GPU_ALLOW_GROWTH: "true",
            ...(gpus > 0 ? { CUDA_VISIBLE_DEVICES: own } : {}),
          },
        });
        children.push(child);
        child.once("exit", (code, signal) => reject(new Error(`host ${rank} ended with ${code ?? signal}`)));
        child.on("message", (message: Message) => {
          if (message.kind === "address") {
            addresses[rank] = message.address;
            if (Object.keys(addresses).length === hosts)
              for (const each of children) each.send({ kind: "addresses", addresses });
          } else if (message.kind === "bring" || message.kind === "brought")
            children[message.to]?.send(message);
          else if (message.kind === "progress") {
            last[rank] = message.progress.did;
            say({ case: `${hosts}x${replicas}`, rank, ...message.progress });
          } else if (message.kind === "steps" && rank === 0) resolve(message.steps);
        });
      }
    });
  } finally {
    clearTimeout(timer);
    for (const child of children) child.kill("SIGKILL");
  }
}

/** Prints a line of JSON, with three digits of what is no whole number. */
function say(line: object): void {
  const short = (_: string, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(7)) : value;
  console.log(JSON.stringify(line, short));
}

async function main(): Promise<void> {
  const flags = benchFlags({
    ...{ model: "0.5B", cases: "1x2,2x1", rows: "4", length: "2048", "micro-batches": "128", steps: "3" },
    ...{ types: "auto", limit: "150", json: undefined },
  });
  const { gpus = 0 } = visibleGpus(process.env["CUDA_VISIBLE_DEVICES"]);
  const rows: Record<string, string | number>[] = [];
  const figures: object[] = [];
  let whole: number | undefined;
  for (const name of flags.cases.split(",")) {
    const [hosts = 1, replicas = 1] = name.split("x").map(Number);
    for (const reduceType of hosts === 1 ? ["auto"] : flags.types.split(",")) {
      const given: Omit<HostCase, "rank"> = {
        ...{ hosts, replicas, model: flags.model as keyof typeof shapes, steps: Number(flags.steps) },
        ...{
          rows: Number(flags.rows),
          length: Number(flags.length),
          microBatches: Number(flags["micro-batches"]),
        },
        reduceType: reduceType as HostCase["reduceType"],
      };
      const steps = await runHosts(given, gpus, Number(flags.limit)).catch((reason: unknown) => {
        say({ case: name, failed: reason instanceof Error ? reason.message : String(reason) });
        return undefined;
      });
      if (steps === undefined) continue;
      const seconds = median(steps.map((step) => step.seconds));
      const exchange = median(steps.map((step) => step.exchangeSeconds));
      const gigabytes = median(steps.map(({ sentBytes }) => sentBytes)) / 1e9;
      if (hosts === 1) whole = seconds;
      const tokens = given.rows * given.length * given.microBatches;
      const tokensPerSecond = Math.round(tokens / seconds);
      const ofOne = whole === undefined ? undefined : whole / seconds;
      const compute = seconds - exchange;
      const losses = steps.map(({ loss }) => loss);
      figures.push({ ...given, tokensPerSecond, ofOne, seconds, compute, exchange, gigabytes, losses });
      say({ case: name, ...figures.at(-1) });
      rows.push({
        "hosts x GPUs": name,
        type: hosts === 1 ? "" : reduceType,
        "s per step": seconds.toFixed(2),
        "tokens/s": tokensPerSecond,
        "of one process": ofOne?.toFixed(2) ?? "",
        "s of compute": compute.toFixed(2),
        "s of exchange": exchange.toFixed(2),
        "GB sent by each": gigabytes.toFixed(2),
        "GB/s each way, device included": hosts === 1 ? "" : (gigabytes / exchange).toFixed(2),
        "first loss": steps[0]?.loss.toPrecision(7) ?? "",
      });
    }
  }
  const tcp = await exchangedOverTcp(2e9, threads);
  rows.push({
    "hosts x GPUs": `plain TCP, ${threads} connections`,
    "GB sent by each": (tcp.sentBytes / 1e9).toFixed(2),
    "GB/s each way, device included": (tcp.sentBytes / 1e9 / tcp.seconds).toFixed(2),
  });
  console.table(rows);
  if (flags.json !== undefined) writeResult(flags.json, { gpus, figures, tcp });
}

const [, , kind, text] = process.argv;
if (kind === asHost) await beHost(JSON.parse(text ?? "{}") as HostCase);
else if (kind !== "tcp-peer") {
  await main();
  process.exit(0);
}
