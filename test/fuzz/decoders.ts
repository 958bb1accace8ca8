/** Lists all decoders of the project that turn untrusted bytes into values, with seeds that they accept. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseRecipe } from "@palimpsest/trainer";
import {
  decodeScore,
  decodeTask,
  decodeTrajectory,
  decodeTrajectoryHead,
  encodeScore,
  encodeTask,
  encodeTrajectory,
  plainSampling,
  type Trajectory,
} from "@palimpsest/trajectories";
import {
  actorHostService,
  decodeValue,
  decodeWhole,
  encodeLong,
  encodeValue,
  headService,
  jobsService,
  type Method,
  nodeLinkService,
  objectsService,
  PalimpsestError,
  storedValue,
  wholeOf,
} from "@palimpsest/wire";

export interface Decoder {
  readonly name: string;
  /** Bytes that the decoder accepts. */
  readonly seeds: readonly Uint8Array[];
  decode(bytes: Uint8Array): unknown;
  /** Returns whether a thrown value is a refusal that the decoder's callers know how to handle. */
  isRefusal(reason: unknown): boolean;
}

const isPalimpsestError = (reason: unknown) => reason instanceof PalimpsestError;

const trajectory: Trajectory = {
  trajectoryId: "trajectory-1",
  groupId: "group-1",
  taskId: "task-1",
  episodeIndex: 0,
  agent: "memagent",
  policyVersionMin: 1,
  policyVersionMax: 2,
  weightsHash: "abc",
  conversations: [
    {
      kind: "memory",
      step: 0,
      promptTokenIds: [1, 2, 3],
      sampledTokenIds: [4, 5],
      rolloutLogprobs: [-0.5, -1],
      sampling: plainSampling,
      lossMask: [1, 0],
      stopReason: "stop",
      policyVersion: 1,
    },
  ],
  answer: "ken",
  memorySteps: [
    { step: 0, documentTokenStart: 0, documentTokenEnd: 3, memory: "ken has a hat", recalled: "" },
  ],
  startedAtMs: 1,
  endedAtMs: 2,
  actorId: "actor-1",
  droppedDocumentTokens: 0,
};

const values: readonly unknown[] = [
  [1, "two", { three: [4, 5.5, null, undefined, true] }],
  [new Map([["a", new Set([1, 2])]]), new Date(0), new Float32Array([1, 2]), new Uint8Array(20)],
  [
    { a: 1, b: 2 },
    { a: 3, b: 4 },
    { a: 5, b: 6 },
    { a: 7, b: 8 },
    { a: 9, b: 10 },
  ],
  [new Error("broken"), /pattern/g, 2 ** 40, -1],
];

const methods: readonly Method<object, object>[] = [
  headService,
  nodeLinkService,
  actorHostService,
  objectsService,
  jobsService,
].flatMap((service) => Object.values(service) as unknown as Method<object, object>[]);

/** The fields of messages with every kind of field; the encoders leave out unknown names. */
const fields = {
  nodeId: "node-1",
  actorId: "actor-1",
  sessionId: "session-1",
  jobId: "job-1",
  objectId: "a".repeat(64),
  name: "name",
  hostname: "host",
  pid: 7,
  total: { quantities: { cpu: 4, gpu: 0.5 } },
  labels: { zone: "a" },
  spec: { actorId: "actor-1", args: encodeValue([1, "x"]), resources: { quantities: { cpu: 1 } } },
  frames: [{ call: { callId: 1, method: "add", args: encodeValue([1]), timeoutMs: 10 } }],
  replies: [{ callId: 1, value: encodeValue(2) }],
  data: new Uint8Array(40),
  sizeBytes: 40,
  register: { nodeId: "node-1", actors: [{ actorId: "actor-1", incarnation: 1 }] },
  actorDied: { actorId: "actor-1", certificate: { reason: "gone", lastStderrLines: ["a", "b"] } },
};

const recipes = ["quickstart.yaml", "memagent/qwen3-4b-vime.yaml", "rememr1/look-back.yaml"].map((name) =>
  readFileSync(fileURLToPath(new URL(`../../recipes/${name}`, import.meta.url))),
);

/** Every method of every service, with a request that the method accepts. */
export const methodSeeds = methods.map((method) => ({ method, seeds: [method.requestSerialize(fields)] }));

/** The decoders of the messages of every RPC, of values of calls, trajectories, scores, tasks and recipes. */
export const decoders: readonly Decoder[] = [
  // This does what grpc-js does: anything thrown becomes the status INTERNAL of that call alone.
  ...methods.flatMap((method): Decoder[] => [
    {
      name: `${method.name} request`,
      seeds: [method.requestSerialize(fields)],
      decode: (bytes) => method.requestDeserialize(Buffer.from(bytes)),
      isRefusal: (reason) => reason instanceof Error,
    },
    {
      name: `${method.name} response`,
      seeds: [method.responseSerialize(fields)],
      decode: (bytes) => method.responseDeserialize(Buffer.from(bytes)),
      isRefusal: (reason) => reason instanceof Error,
    },
  ]),
  {
    name: "value",
    seeds: values.map((value) => encodeValue(value)),
    decode: (bytes) => decodeValue(bytes),
    isRefusal: isPalimpsestError,
  },
  {
    name: "stored value",
    seeds: [...values, new Float64Array(5_000)].map((value) => wholeOf(storedValue(encodeLong(value)))),
    decode: (bytes) => decodeWhole(bytes, (reference) => reference),
    isRefusal: isPalimpsestError,
  },
  {
    name: "trajectory",
    seeds: [encodeTrajectory(trajectory)],
    decode: decodeTrajectory,
    isRefusal: isPalimpsestError,
  },
  {
    name: "trajectory without numbers",
    seeds: [encodeTrajectory(trajectory)],
    decode: decodeTrajectoryHead,
    isRefusal: isPalimpsestError,
  },
  {
    name: "score",
    seeds: [encodeScore({ reward: 1, components: { exact: 1 }, stepRewards: [0, 1] }, { trajectoryId: "t" })],
    decode: decodeScore,
    isRefusal: isPalimpsestError,
  },
  {
    name: "task",
    seeds: [
      encodeTask({
        id: "t",
        question: "Who?",
        answers: ["ken"],
        document: "ken has a hat",
        metadata: { kind: "one" },
      }),
    ],
    decode: decodeTask,
    isRefusal: isPalimpsestError,
  },
  {
    name: "recipe",
    seeds: recipes,
    decode: (bytes) => parseRecipe(new TextDecoder().decode(bytes), "/nowhere"),
    // The error of a recipe is a sentence for a person.
    isRefusal: (reason) =>
      reason instanceof Error && !(reason instanceof TypeError) && !(reason instanceof RangeError),
  },
];
