/**
 * Measures learners of several hosts, which are processes of this machine with GPUs of their own, against one process that has all of the
 * GPUs: seconds of a step, of its exchange, and the rate. Every case trains the same rows with random weights, with full rows. Beside it
 * two processes send each other bytes over plain TCP. Prints a table; with --json FILE it also writes the figures.
 *
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/hosts.ts [--model 0.5B] [--cases 1x2,2x1] [--rows 4] [--length 2048]
 *   [--micro-batches 8] [--steps 3] [--types auto] [--json FILE]
 *   A case 2x1 is two processes of one GPU; where the machine has fewer GPUs than a case, its processes share the first.
 *   --micro-batches are those of a whole step.
 */
import { type ChildProcess, fork } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { loadBackend, machineGpus } from "../../packages/learning/jit/src/index.js";
import {
  createLearner,
  type LearnerConfigInput,
  PairExchange,
  PairSums,
  SwapBox,
} from "../../packages/learning/learner/src/index.js";
import { parseModelConfig } from "../../packages/learning/model/src/index.js";
import { RankBulk } from "../../packages/learning/trainer/src/actors/rank-bulk.js";
import { BulkClient } from "../../packages/runtime/wire/src/bulk/bulk-client.js";
import { BulkServer } from "../../packages/runtime/wire/src/bulk/bulk-server.js";
import { Credentials } from "../../packages/runtime/wire/src/security/credentials.js";
import { median } from "../contender.js";
import { benchFlags } from "../flags.js";
import { fullRowGroups } from "../full-rows.js";
import { quickParameters } from "../model/quick-parameters.js";
import { writeResult } from "../result-file.js";
import { exchangedOverTcp } from "../runtime/tcp-pair.js";
import { shapes } from "./shapes.js";

const timeoutMs = 500_000;
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

/** What a host sends to the others through the parent, and what comes back. */
type Message =
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "addresses"; readonly addresses: readonly string[] }
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
  | { readonly kind: "steps"; readonly steps: readonly Step[] };

async function beHost(given: HostCase): Promise<void> {
  const { rank, hosts, replicas, rows, length, microBatches, steps, reduceType } = given;
  const send = (message: Message) => process.send?.(message);
  const box = new SwapBox(timeoutMs);
  const links = new RankBulk(rank, timeoutMs);
  const answers = new Map<string, (value: unknown) => void>();
  let joined: (addresses: readonly string[]) => void = () => undefined;
  const addresses = new Promise<readonly string[]>((resolve) => {
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
  const address = await links.serve({
    serve: async (read) => {
      const server = createServer({ noDelay: true }, (socket) => {
        new BulkServer(socket, { read, close: async () => undefined }, () => undefined);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const at = server.address();
      return `127.0.0.1:${typeof at === "object" ? at?.port : ""}`;
    },
    connect: (to, stallMs) => new BulkClient(to, Credentials.ofCluster("bench"), stallMs, "actor"),
  });
  send({ kind: "address", address });
  links.join(await addresses);
  const model = parseModelConfig({ ...shapes[given.model], maxPositions: length });
  const peers = new PairExchange(rank, hosts, { swap, lanes: [new PairSums(rank, hosts, links)] });
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
    done.push({
      seconds: (performance.now() - before.at) / 1000,
      exchangeSeconds: seconds - before.seconds,
      sentBytes: sentBytes - before.sentBytes,
      loss,
    });
  }
  learner.close();
  // The first step compiles.
  send({ kind: "steps", steps: done.slice(1) });
  await new Promise((resolve) => setTimeout(resolve, 500));
  process.exit(0);
}

/** Runs all hosts of a case. @returns the steps of rank 0 */
async function runHosts(given: Omit<HostCase, "rank">, gpus: number): Promise<readonly Step[]> {
  const { hosts, replicas } = given;
  const children: ChildProcess[] = [];
  const addresses: string[] = [];
  const enough = hosts * replicas <= gpus;
  try {
    return await new Promise((resolve, reject) => {
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
        child.once("exit", (code) => {
          if (code !== 0) reject(new Error(`host ${rank} ended with ${code}`));
        });
        child.on("message", (message: Message) => {
          if (message.kind === "address") {
            addresses[rank] = message.address;
            if (Object.keys(addresses).length === hosts)
              for (const each of children) each.send({ kind: "addresses", addresses });
          } else if (message.kind === "bring" || message.kind === "brought")
            children[message.to]?.send(message);
          else if (message.kind === "steps" && rank === 0) resolve(message.steps);
        });
      }
    });
  } finally {
    for (const child of children) child.kill("SIGKILL");
  }
}

async function main(): Promise<void> {
  const flags = benchFlags({
    ...{ model: "0.5B", cases: "1x2,2x1", rows: "4", length: "2048", "micro-batches": "8", steps: "3" },
    ...{ types: "auto", json: undefined },
  });
  const gpus = machineGpus().length;
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
      const steps = await runHosts(given, gpus);
      const seconds = median(steps.map((step) => step.seconds));
      const exchange = median(steps.map((step) => step.exchangeSeconds));
      const gigabytes = median(steps.map(({ sentBytes }) => sentBytes)) / 1e9;
      if (hosts === 1) whole = seconds;
      const tokens = given.rows * given.length * given.microBatches;
      figures.push({ ...given, seconds, exchange, gigabytes, losses: steps.map(({ loss }) => loss) });
      rows.push({
        "hosts x GPUs": name,
        type: hosts === 1 ? "" : reduceType,
        "s per step": seconds.toFixed(2),
        "tokens/s": Math.round(tokens / seconds),
        "of one process": whole === undefined ? "" : (whole / seconds).toFixed(2),
        "s of exchange": exchange.toFixed(2),
        "GB sent by each": gigabytes.toFixed(2),
        "GB/s each way, device included": hosts === 1 ? "" : (gigabytes / exchange).toFixed(2),
        "first loss": steps[0]?.loss.toPrecision(7) ?? "",
      });
      console.table(rows.slice(-1));
    }
  }
  const tcp = await exchangedOverTcp(2e9);
  rows.push({
    "hosts x GPUs": "plain TCP, no GPU",
    "GB sent by each": (tcp.sentBytes / 1e9).toFixed(2),
    "GB/s each way, device included": (tcp.sentBytes / 1e9 / tcp.seconds).toFixed(2),
  });
  console.table(rows);
  if (flags.json !== undefined) writeResult(flags.json, { gpus, figures, tcp });
}

const [, , kind, text] = process.argv;
if (kind === asHost) await beHost(JSON.parse(text ?? "{}") as HostCase);
else if (kind !== "tcp-peer") await main();
