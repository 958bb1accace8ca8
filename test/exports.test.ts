// Every function and class that the libraries for memory agents export, and every one of the other packages that a document
// or an example imports, is given what is wrong, in each position of a valid call and in each of its options: the answer is an
// error with a code, which names what it is about, or a plain result.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import * as agents from "@palimpsest/agents";
import * as client from "@palimpsest/client";
import * as datasets from "@palimpsest/datasets";
import * as engines from "@palimpsest/engines";
import * as evals from "@palimpsest/evals";
import * as jit from "@palimpsest/jit";
import * as memory from "@palimpsest/memory";
import * as model from "@palimpsest/model";
import * as rewards from "@palimpsest/rewards";
import * as smallWorld from "@palimpsest/small-world";
import * as trainer from "@palimpsest/trainer";
import * as trajectories from "@palimpsest/trajectories";
import { expect, it } from "vitest";
import { z } from "zod";
import * as learner from "../packages/learning/learner/src/index.js";

const wrong: readonly unknown[] = [
  ...[null, Number.NaN, -1, "", true, 7, "\ud83d", "x".repeat(100_000), [], [undefined], {}],
  { nonesuch: 1 },
  () => 1,
  Symbol("s"),
];

// What is no plain object is replaced as a whole.
const embedder: memory.Embedder = Object.assign(
  Object.create({}) as object,
  memory.hashedEmbedder({ dimensions: 8 }),
);
const base = await memory.StoreBase.of([], embedder);
const tokenizer = { encode: () => [1], decode: () => "x", specialTokenId: () => 2 };
const sampler = { generate: () => Promise.reject(new agents.AgentError("BAD_CONFIG", "no model is here")) };
const parts = { sampler, tokenizer };
const toolSpec = {
  name: "t",
  description: "d",
  parameters: z.strictObject({ a: z.string() }),
  run: () => "x",
};
const store = () => new memory.MemoryStore(base);
/** A model that answers, so that an agent refuses what is wrong itself. */
const answering = {
  tokenizer,
  sampler: {
    generate: () =>
      Promise.resolve({
        tokenIds: [1],
        rolloutLogprobs: [0],
        stopReason: "stop" as const,
        policyVersion: 0,
        weightsHash: "",
      }),
  },
};
const ownAgent = agents.defineAgent({
  kind: "own",
  settings: z.strictObject({}),
  stopTokens: ["x"],
  run: () => Promise.resolve({ answer: "x" }),
});
const runOf = (agent: agents.Agent): Call => ({
  run: (task: object, options?: agents.RunOptions) =>
    agent.run({ document: "d", ...task } as agents.AgentTask, options),
  args: [
    { question: "q" },
    { seed: 1, temperature: 0, topP: 1, record: "all", signal: AbortSignal.any([]), onProgress: () => 1 },
  ],
});

interface Call {
  readonly run: (...args: never[]) => unknown;
  readonly args: readonly unknown[];
}
const construct =
  (Class: new (...args: never[]) => unknown) =>
  (...args: never[]) =>
    new Class(...args);

/** A valid call of each, with as many of its options as can be given together. */
const calls: Readonly<Record<string, Call>> = {
  MemoryStore: {
    run: construct(memory.MemoryStore),
    args: [base, { now: () => 1, idPrefix: "m", denseWeight: 0.5 }],
  },
  "StoreBase.of": { run: memory.StoreBase.of, args: [[], embedder] },
  createEmbedder: { run: memory.createEmbedder, args: [{ kind: "hashed", dimensions: 8 }] },
  hashedEmbedder: { run: memory.hashedEmbedder, args: [{ dimensions: 8 }] },
  memoryTools: { run: memory.memoryTools, args: [["search_memory"]] },
  readSnapshotFile: { run: memory.readSnapshotFile, args: ["/nonesuch/file"] },
  writeSnapshotFile: {
    // Nothing can be written below a device.
    run: (path: unknown, records: Parameters<typeof memory.writeSnapshotFile>[1]) =>
      Reflect.apply(memory.writeSnapshotFile, undefined, [
        typeof path === "string" && path !== "" ? `/dev/null/${path}` : path,
        records,
      ]),
    args: ["file", []],
  },
  snapshotTarget: { run: memory.snapshotTarget, args: ["/nonesuch/file"] },
  "Bm25Index.of": { run: memory.Bm25Index.of, args: [["a"], { k1: 1, b: 0.5 }] },
  "Bm25Index.search": {
    run: (...args) => Reflect.apply(memory.Bm25Index.prototype.search, memory.Bm25Index.of(["a"]), args),
    args: ["a", 2],
  },
  "DenseIndex.of": { run: memory.DenseIndex.of, args: [["a"], embedder] },
  "DenseIndex.search": {
    run: async (...args) =>
      Reflect.apply(memory.DenseIndex.prototype.search, await memory.DenseIndex.of(["a"], embedder), args),
    args: ["a", 2],
  },
  "MemoryStore.create": {
    run: (...args) => Reflect.apply(memory.MemoryStore.prototype.create, store(), args),
    args: [{ content: "x", speaker: "s", provenance: ["a"], metadata: { a: "b" } }],
  },
  "MemoryStore.search": {
    run: (...args) => Reflect.apply(memory.MemoryStore.prototype.search, store(), args),
    args: ["x", { topK: 3, threshold: 0.5, denseWeight: 0.1 }],
  },
  "MemoryStore.update": {
    run: (...args) => Reflect.apply(memory.MemoryStore.prototype.update, store(), args),
    args: ["memory_1", { content: "y" }],
  },
  "MemoryStore.delete": {
    run: (...args) => Reflect.apply(memory.MemoryStore.prototype.delete, store(), args),
    args: ["memory_1"],
  },
  memAgent: { run: agents.memAgent, args: [{ ...parts, config: agents.memAgentConfig(), now: () => 1 }] },
  memUpdate: {
    run: agents.memUpdate,
    args: [{ ...parts, config: agents.memUpdateConfig(), embedder, contextTokens: 9_000 }],
  },
  rememr1: { run: agents.rememr1, args: [{ ...parts, config: agents.rememr1Config() }] },
  parallelReader: { run: agents.parallelReader, args: [{ ...parts, config: agents.parallelConfig() }] },
  parallelConfig: { run: agents.parallelConfig, args: ["small", { passes: 1 }] },
  "memAgent.run": runOf(agents.memAgent(answering)),
  "memUpdate.run": runOf(agents.memUpdate({ ...answering, contextTokens: 9_000 })),
  "rememr1.run": runOf(agents.rememr1(answering)),
  "own agent.run": runOf(ownAgent.create({}, answering)),
  memAgentConfig: { run: agents.memAgentConfig, args: ["small", { chunkTokens: 100 }] },
  memUpdateConfig: { run: agents.memUpdateConfig, args: ["memupdate", {}] },
  rememr1Config: { run: agents.rememr1Config, args: ["rememr1", {}] },
  defineTool: { run: agents.defineTool, args: [{ ...toolSpec, timeoutMs: 5, explainError: () => "x" }] },
  defineAgent: {
    run: agents.defineAgent,
    args: [
      {
        kind: "own",
        description: "d",
        settings: z.strictObject({}),
        run: () => ({ answer: "x" }),
        stopTokens: ["x"],
      },
    ],
  },
  searchTool: { run: agents.searchTool, args: [{ texts: ["a"], name: "s", description: "d", topK: 2 }] },
  answerFromStore: {
    run: agents.answerFromStore,
    args: [{ ...parts, store: store(), question: "q", topK: 2 }],
  },
  openEndpoint: { run: engines.openEndpoint, args: [{ url: "http://127.0.0.1:9", model: "m", attempts: 1 }] },
  ChatEndpoint: { run: construct(engines.ChatEndpoint), args: [{ url: "http://127.0.0.1:9", model: "m" }] },
  EndpointSampler: {
    run: construct(engines.EndpointSampler),
    args: [
      { url: "http://127.0.0.1:9", model: "m" },
      { tokenizer: parts.tokenizer, onRetry: () => undefined },
    ],
  },
};

// A class of its own, to which a program may add what it likes.
const ownTokenizer: object = Object.assign(Object.create({}) as object, {
  namedToken: () => undefined,
  configJson: {},
});

/** What may be anything. */
const anything = Symbol("anything");

/** The same for what documents and examples import from the other packages. A device of the system cannot be written to. */
const documented: Readonly<Record<string, Call>> = {
  PredictionCache: {
    run: (path: unknown) =>
      Reflect.apply(evals.PredictionCache.open, evals.PredictionCache, [
        typeof path === "string" && path !== "" ? `/dev/null/${path}` : path,
      ]),
    args: ["x"],
  },
  agentSystem: {
    run: evals.agentSystem,
    args: [
      {
        name: "a",
        agent: agents.memAgent(parts),
        settings: anything,
        model: anything,
        temperature: 0,
        topP: 1,
        memories: true,
        onEpisode: () => undefined,
      },
    ],
  },
  itemOfTask: {
    run: evals.itemOfTask,
    args: [{ id: "a", question: "q", answers: ["a"], document: "d", metadata: {} }],
  },
  qaScorer: { run: evals.qaScorer, args: [{ form: "auto", golds: "any", primary: "f1" }] },
  readTraces: { run: (path: string) => all(evals.readTraces(path)), args: ["/nonesuch/file"] },
  traceHtml: { run: evals.traceHtml, args: [[], { title: "t" }] },
  runSuite: {
    run: evals.runSuite,
    args: [{ suite: "s", items: [], systems: [], scorer: evals.qaScorer({}) }],
  },
  summarizeSuite: {
    run: evals.summarizeSuite,
    args: [{ suite: "s", seed: 0, items: [], systems: [], scorer: evals.qaScorer({}) }],
  },
  readRecipe: { run: trainer.readRecipe, args: ["/nonesuch/file"] },
  trainInProcess: { run: trainer.trainInProcess, args: [{ recipe: {} }] },
  preparedTasks: { run: (path: string) => all(datasets.preparedTasks(path)), args: ["/nonesuch/file"] },
  preparerByName: { run: datasets.preparerByName, args: ["squad"] },
  prepareData: {
    run: datasets.prepareData,
    args: [
      {
        preparer: datasets.preparerByName("squad"),
        options: {},
        inputs: ["/nonesuch/file"],
        out: "/dev/null/x.jsonl",
        seed: 0,
        format: "tasks",
      },
    ],
  },
  worldByName: { run: datasets.worldByName, args: ["trade"] },
  difficultyOf: {
    run: datasets.difficultyOf,
    args: [datasets.worldByName("trade"), { cast: 4, bait: 0.5, distance: 0, wordings: 2 }],
  },
  certifyWorld: {
    // A seed may be a number or a text.
    run: (options: object) =>
      evals.certifyWorld(isPlain(options) ? ({ seed: 1, ...options } as evals.CertifyOptions) : options),
    args: [
      {
        world: "trade",
        length: 64,
        questions: 1,
        split: "test",
        difficulty: {},
        embedder,
        signal: AbortSignal.any([]),
        onProgress: () => undefined,
      },
    ],
  },
  defineData: { run: datasets.defineData, args: [{ settings: z.strictObject({}), tasks: () => [] }] },
  defineReward: { run: rewards.defineReward, args: [{ settings: z.strictObject({}), score: () => 1 }] },
  boxedAnswer: { run: rewards.boxedAnswer, args: ["\\boxed{1}"] },
  defineAdvantage: {
    run: learner.defineAdvantage,
    args: [{ settings: z.strictObject({}), advantages: () => [1] }],
  },
  jit: { run: jit.jit, args: [{ backend: { name: "cpu" }, state: {}, functions: {}, mode: "eager" }] },
  loadBackend: { run: jit.loadBackend, args: [{ prefer: "cpu", threads: 1 }] },
  scan: { run: jit.scan, args: [{ xs: [], init: [], body: () => ({ carry: [] }) }] },
  createSampler: {
    run: model.createSampler,
    args: [{ maxLength: 8, backend: {}, config: {}, parameters: {} }],
  },
  loadModel: { run: model.loadModel, args: ["/nonesuch/file"] },
  inspectModel: { run: model.inspectModel, args: ["/nonesuch/file"] },
  loadAnyModel: { run: model.loadAnyModel, args: ["/nonesuch/file"] },
  resolveModel: { run: model.resolveModel, args: ["/nonesuch", { cacheDir: "/dev/null/x" }] },
  saveModel: { run: model.saveModel, args: ["/dev/null/x", { config: {}, parameters: {} }] },
  createTextModel: {
    run: model.createTextModel,
    args: [{ tokenizer: { configJson: {} } }, { maxLength: 8 }],
  },
  ChatTemplate: {
    run: construct(model.ChatTemplate),
    args: [ownTokenizer, { template: "{{ 1 }}", now: () => new Date(0) }],
  },
  HttpSampler: { run: construct(engines.HttpSampler), args: [{ kind: "vllm", url: "http://127.0.0.1:9" }] },
  connect: { run: client.connect, args: [{ address: "127.0.0.1", token: "t", name: "n" }] },
  actorModule: { run: client.actorModule, args: [class Own {}, "file:///nonesuch/own.js"] },
  taskModule: { run: client.taskModule, args: [function own() {}, "file:///nonesuch/own.js"] },
  ActorPool: { run: construct(client.ActorPool), args: [[]] },
  taskContext: { run: client.taskContext, args: [] },
};

async function all(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

/** What a program hardly calls itself: it works on what these packages made, and its types are its contract. */
const inner = new Set([
  ...["Bm25Index", "DenseIndex", "StoreBase", "StoreBases", "readArguments", "toolSet"],
  ...["MemoryError", "AgentError", "EngineError", "HttpSampler", "EndpointTokenizer", "EndpointEmbedder"],
  ...[
    "agentConfigOf",
    "agentKindOf",
    "callSeed",
    "chunkDocument",
    "compileTemplate",
    "createAgent",
    "exampleNames",
    "leakedNames",
  ],
  ...[
    "memAgentPrompts",
    "parseToolCalls",
    "plainIds",
    "promptTexts",
    "rememr1Prompts",
    "retrieveMemory",
    "specialId",
  ],
  ...["toTrajectory", "queryTerms", "tokenTerms", "whitespaceTerms", "proxiedFetch", "HttpClient"],
  ...["characterEnd", "characterStart", "wholeCharacters"],
]);

it("has a valid call of every function and class that is for programs", () => {
  const exported = Object.entries({ ...memory, ...agents, ...engines }).flatMap(([name, value]) =>
    typeof value === "function" && !inner.has(name) ? [name] : [],
  );
  expect(exported.filter((name) => calls[name] === undefined)).toEqual([]);
});

it("has a valid call of every function that a document or an example imports from the other packages", () => {
  const listed = execFileSync("git", ["ls-files", "README.md", "docs", "examples", "recipes"], {
    encoding: "utf8",
  });
  const texts = listed
    .split("\n")
    .filter((file) => /\.(md|ts)$/.test(file))
    .map((file) => readFileSync(file, "utf8"));
  const named = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/import \{([^}]*)\} from "@palimpsest\//g)].flatMap(([, names = ""]) =>
        names.split(",").map((name) => name.trim().replace(/ as .*/, "")),
      ),
    ),
  );
  const packages = { ...client, ...datasets, ...evals, ...jit, ...learner, ...model, ...rewards };
  const exported = Object.entries({ ...packages, ...smallWorld, ...trainer, ...trajectories });
  const functions = exported.flatMap(([name, value]) =>
    typeof value === "function" && named.has(name) && !/Error$/.test(name) ? [name] : [],
  );
  expect(functions.length).toBeGreaterThan(15);
  const called = (name: string) => documented[name] !== undefined || calls[name] !== undefined;
  expect(functions.filter((name) => !called(name))).toEqual([]);
});

/** Returns what is wrong with the outcome of a call, if anything is. */
async function problemOf({ run, args }: Call, given: readonly unknown[]): Promise<string | undefined> {
  try {
    // What is wrong is given on purpose.
    await Reflect.apply(run, undefined, given);
    return given === args ? undefined : "accepted";
  } catch (reason) {
    const code = reason instanceof Error && "code" in reason ? String(reason.code) : "";
    if (!(reason instanceof Error) || !/^[A-Z_]+$/.test(code) || /^(E[A-Z]+|ERR_.*)$/.test(code))
      return `raw ${String(reason)}`;
    if (/\n|\bat \/|Invalid input|ZodError/.test(reason.message))
      return `in another's words: ${reason.message}`;
    return reason.message.length > 2_000 ? `too long: ${reason.message.length}` : undefined;
  }
}

it.each(Object.entries({ ...calls, ...documented }))(
  "%s refuses what is wrong in every position and option",
  async (_name, call) => {
    const found: string[] = [];
    const look = async (what: string, given: readonly unknown[], mayPass: boolean) => {
      const problem = await problemOf(call, given);
      if (problem !== undefined && !(mayPass && problem === "accepted")) found.push(`${what}: ${problem}`);
    };
    for (const [index, argument] of call.args.entries()) {
      const replaced = (value: unknown) => call.args.with(index, value);
      for (const value of wrong)
        await look(
          `argument ${index} ${String(value).slice(0, 40)}`,
          replaced(value),
          isLike(argument, value),
        );
      if (!isPlain(argument)) continue;
      const [first = ""] = Object.keys(argument);
      const mistyped = `${first.slice(0, 2)}${first.slice(3)}`;
      await look(
        `argument ${index} with ${mistyped}`,
        replaced({ ...argument, [mistyped]: 1 }),
        first.length < 4,
      );
      for (const [field, valid] of Object.entries(argument))
        for (const value of wrong)
          await look(
            `${field} ${String(value).slice(0, 40)}`,
            replaced({ ...argument, [field]: value }),
            isLike(valid, value),
          );
    }
    expect(found).toEqual([]);
  },
);

const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Whether a value is of the valid one's type, so that it may be accepted. */
function isLike(valid: unknown, value: unknown): boolean {
  if (valid === anything) return true;
  if (Array.isArray(valid)) return Array.isArray(value);
  if (isPlain(valid)) return isPlain(value);
  return typeof valid === typeof value && !Number.isNaN(value);
}
