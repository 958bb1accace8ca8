/**
 * One contender of bench/learner.ts in a process of its own, so that its peak memory is its own. First line of standard
 * input: what to run. Then for every line {"seconds": s}: updates for that long. Answers are lines of JSON.
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { loadBackend } from "../packages/jit/src/index.js";
import { createLearner } from "../packages/learner/src/index.js";
import { parseModelConfig } from "../packages/model/src/index.js";
import { quickParameters } from "./model/quick-parameters.js";

interface Shape {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly kvHeads?: number;
  readonly headDim: number;
  readonly inner: number;
  readonly vocab: number;
  readonly rows: number;
  readonly length: number;
  readonly threads: number;
}

const GROUP_SIZE = 8;

function answer(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Token ids without a generator: the arithmetic does not care which they are. */
function tokens(count: number, offset: number, vocab: number): number[] {
  return Array.from({ length: count }, (_, i) => ((i + 1) * 7919 + offset * 104_729) % vocab);
}

/** Full rows: half of each is prompt, half was sampled. */
function groupsOf({ rows, length, vocab }: Shape) {
  const prompt = Math.floor(length / 2);
  return Array.from({ length: rows / GROUP_SIZE }, (_, g) => ({
    groupId: `group-${g}`,
    taskId: "bench",
    groupSize: GROUP_SIZE,
    members: Array.from({ length: GROUP_SIZE }, (_unused, episodeIndex) => ({
      trajectory: {
        trajectoryId: `group-${g}-${episodeIndex}`,
        groupId: `group-${g}`,
        taskId: "bench",
        episodeIndex,
        agent: "bench",
        policyVersionMin: 0,
        policyVersionMax: 0,
        weightsHash: "",
        conversations: [
          {
            kind: "final" as const,
            step: 0,
            promptTokenIds: tokens(prompt, g, vocab),
            sampledTokenIds: tokens(length - prompt, g * GROUP_SIZE + episodeIndex, vocab),
            rolloutLogprobs: Array<number>(length - prompt).fill(-5.5),
            stopReason: "length" as const,
            policyVersion: 0,
          },
        ],
        answer: "",
        memorySteps: [],
        startedAtMs: 0,
        endedAtMs: 0,
        actorId: "",
        droppedDocumentTokens: 0,
      },
      score: { reward: episodeIndex % 3, components: {} },
    })),
  }));
}

async function start(line: string) {
  const { shape, prefer, mode, precision, memory, trainedPlaces } = JSON.parse(line) as {
    readonly shape: Shape;
    readonly prefer: "tensorflow" | "wasm" | "cpu";
    readonly mode: "eager" | "graph" | "xla";
    readonly precision?: "float32" | "bfloat16";
    readonly memory?: Readonly<Record<string, number>>;
    /** The bucket says how many tokens are trained; else every place gets logits. */
    readonly trainedPlaces?: boolean;
  };
  const { rows, length } = shape;
  const trainedTokens = rows * (length - Math.floor(length / 2));
  const backend = await loadBackend({ prefer, threads: shape.threads });
  const model = parseModelConfig({
    architecture: "llama",
    vocabSize: shape.vocab,
    hiddenSize: shape.hidden,
    layers: shape.layers,
    heads: shape.heads,
    kvHeads: shape.kvHeads ?? shape.heads,
    headDim: shape.headDim,
    intermediateSize: shape.inner,
    tieWordEmbeddings: true,
    maxPositions: shape.length,
  });
  const learner = createLearner({
    backend,
    mode,
    model,
    parameters: quickParameters(model),
    objectives: ["policy"],
    config: {
      preset: "memagent",
      reference: "none",
      kl: { coefficient: 0 },
      measureEntropy: false,
      buckets: [trainedPlaces === true ? { rows, length, trainedTokens } : { rows, length }],
      ...(precision === undefined ? {} : { precision }),
      ...(memory === undefined ? {} : { memory }),
    },
  });
  const groups = groupsOf(shape);
  const started = performance.now();
  await learner.update(groups);
  const firstMs = performance.now() - started;
  answer({ ready: backend.tensorflowVersion ?? prefer, firstMs, stats: learner.stats });
  return async (seconds: number) => {
    const [from, cpu] = [performance.now(), process.cpuUsage()];
    let updates = 0;
    while (performance.now() - from < seconds * 1000) {
      await learner.update(groups);
      updates += 1;
    }
    const { user, system } = process.cpuUsage(cpu);
    return { updates, seconds: (performance.now() - from) / 1000, cpuSeconds: (user + system) / 1e6 };
  };
}

let run: Awaited<ReturnType<typeof start>> | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  if (run === undefined) run = await start(line);
  else answer(await run((JSON.parse(line) as { readonly seconds: number }).seconds));
}
const peak = /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
answer({ peakBytes: Number(peak ?? Number.NaN) * 1024 });
process.exit(0);
