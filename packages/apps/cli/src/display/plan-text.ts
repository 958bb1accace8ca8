import type { EnginePlan } from "@palimpsest/trainer";
import { conversationNames, type RunPlan } from "@palimpsest/trainer";
import { formatCount } from "./count.js";
import { formatTable } from "./table.js";

const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GiB`;
const whole = (value: number) => Math.round(value).toLocaleString("en-US");

/** Formats a duration with at most two significant digits, because it is an estimate. */
function duration(seconds: number): string {
  const [value, unit] =
    seconds < 90
      ? [seconds, "s"]
      : seconds < 5400
        ? [seconds / 60, "min"]
        : seconds < 48 * 3600
          ? [seconds / 3600, "h"]
          : [seconds / 86_400, "days"];
  return `${Number(value.toPrecision(2))} ${unit}`;
}

/**
 * Formats the plan of `train --dry-run`: shapes, memory by part, tokens of a step, and the problems that prevent the
 * run.
 */
export function planText(plan: RunPlan): string {
  const { model, needs, step, tasks, documentTokens, assumed, time } = plan;
  const { learner, learnerDevice: device } = needs;
  const facts = [
    ["model", plan.modelFolder],
    [
      "",
      `${model.architecture}, ${formatCount(plan.parameters)} parameters: ${model.layers} layers, width ${model.hiddenSize}, ${model.heads} heads (${model.kvHeads} KV heads), vocabulary ${whole(model.vocabSize)}, ${whole(model.maxPositions)} positions`,
    ],
    ...(assumed.model
      ? [
          [
            "",
            "not on this machine: its shape is known, and prompt lengths are estimated at 4 characters per token",
          ] as const,
        ]
      : []),
    ["prompts", `${plan.prompt}; replies end at ${plan.stopTokens.join(", ")}`],
    [
      "tasks",
      assumed.data
        ? `${whole(tasks.total)}; their file is not on this machine: documents are assumed to have ${whole(documentTokens.mean)} tokens, as the recipe says`
        : `${whole(tasks.total)}, of which ${tasks.lookedAt} were read${documentTokens.most === 0 ? "" : `; documents of ${whole(documentTokens.mean)} tokens on average, ${whole(documentTokens.most)} at most`}`,
    ],
    ...plan.conversations.map(
      ({ kind, promptTokens, replyTokens }) =>
        [
          conversationNames[kind],
          `prompt up to ${promptTokens} + reply up to ${replyTokens} tokens`,
        ] as const,
    ),
    [
      "one step",
      `${whole(step.episodes)} episodes, ${whole(step.conversations)} conversations; ${formatCount(step.promptTokens)} prompt tokens read, up to ${formatCount(step.sampledTokensAtMost)} sampled and trained; ${step.optimizerSteps} optimizer ${step.optimizerSteps === 1 ? "step" : "steps"}; ${Math.round(100 * step.filled)} % of the learner's positions filled`,
    ],
    ...(plan.engines === undefined ? [] : enginesText(plan.engines)),
    ["learner shapes", plan.buckets.map(bucketText).join(", ")],
    [
      "devices",
      `sampling on ${plan.devices.rollout}${needs.rolloutActors > 1 ? " each" : ""}, update on ${plan.devices.learner}`,
    ],
  ] as const;
  const store = [
    ["learner", "weights", gib(learner.weightsBytes)],
    ["", "weights while they are loaded, in host memory", gib(learner.hostBytes)],
    ["", "reference", gib(learner.referenceBytes)],
    ["", "moments", gib(learner.momentsBytes)],
    ["", "gradients", gib(learner.gradientsBytes)],
    [
      "",
      "activations of a micro-batch, or buffers of the optimizer",
      gib(Math.max(learner.stepBytes, learner.applyBytes)),
    ],
    ["", "total, with the process", gib(needs.learnerBytes)],
    ...(needs.learnerActors === 1
      ? []
      : [["", `for all ${needs.learnerActors}`, gib(needs.learnerActors * needs.learnerBytes)]]),
    ["", "of this on its device", gib(needs.learnerDeviceBytes)],
    ...(device === undefined
      ? []
      : [
          [
            "its GPU",
            "weights, reference, moments",
            gib(device.weightsBytes + device.referenceBytes + device.momentsBytes),
          ],
          ["", "gradients", gib(device.gradientsBytes)],
          ["", "weights in bfloat16", gib(device.roundedBytes)],
          ["", device.keep === "products" ? "kept products" : "layers' inputs", gib(device.keptBytes)],
          ["", "logits", gib(device.logitsBytes)],
        ]),
    ["rollout actor", "weights, keys and values", gib(needs.rolloutDeviceBytes)],
    ["", "total, while new weights are loaded", gib(needs.rolloutBytes)],
    ["", `for all ${needs.rolloutActors}`, gib(needs.rolloutActors * needs.rolloutBytes)],
    ...(needs.engineBytes === 0
      ? []
      : [["engine", "weights only; caches depend on its flags", gib(needs.engineBytes)]]),
    ["object store", "base and kept versions, per node", gib(needs.storeBytes)],
    ["others", "head, Redis, node, driver, reward actors", gib(needs.otherBytes)],
    [
      "all",
      plan.nodes === 1
        ? `on one machine, which has ${gib(plan.memoryBytes)}`
        : `on ${plan.nodes} machines, which have ${gib(plan.memoryBytes)}`,
      gib(needs.totalBytes),
    ],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = [
    ...facts.map(([name, text]) => `${name.padEnd(width)}  ${text}`),
    "",
    formatTable(["seconds of a step", "expected", "at most"], secondsRows(time)),
    "",
    ...(plan.layouts.length === 0 ? [] : [layoutsTable(plan), ""]),
    formatTable(["memory of", "what", "estimate"], store),
    "",
    ...(plan.problems.length === 0
      ? ["The run fits: nothing was started, and no weights were read."]
      : ["The run is not possible:", ...plan.problems.map((problem) => `- ${problem}`)]),
  ];
  return `${lines.join("\n")}\n`;
}

/** The rows of a table of a step's parts and of the whole run. */
function secondsRows({ expected, atMost, ...run }: RunPlan["time"]): string[][] {
  const parts: readonly (readonly [name: string, part: keyof typeof expected])[] = [
    ["sampling", "sampling"],
    ["loading the weights", "loading"],
    ["update", "update"],
    ...(expected.exchange > 0 ? [["of it between hosts", "exchange"] as const] : []),
    ["publishing the weights", "publishing"],
    ["share of checkpoints", "checkpoint"],
    ["share of evaluations", "evaluation"],
    ["the step", "total"],
  ];
  return [
    ...parts.map(([name, part]) => [name, duration(expected[part]), duration(atMost[part])]),
    ["the run", duration(run.expectedTotalSeconds), duration(run.totalSeconds)],
  ];
}

/** Number of splits that are shown besides the recipe's own. */
const shownLayouts = 3;

/** The fastest splits of the plan's GPUs, and the recipe's own. */
function layoutsTable({ layout: own, layouts, time }: RunPlan): string {
  const isOwn = ({ layout }: RunPlan["layouts"][number]) => JSON.stringify(layout) === JSON.stringify(own);
  const first = layouts.slice(0, shownLayouts);
  const rows = first.some(isOwn) ? first : [...first, { layout: own, time }];
  return formatTable(
    ["split of the GPUs", "a step, expected", "the run, expected", "at most"],
    rows.map((row) => [
      `${layoutText(row.layout)}${isOwn(row) ? " (this recipe)" : ""}`,
      duration(row.time.expected.total),
      duration(row.time.expectedTotalSeconds),
      duration(row.time.totalSeconds),
    ]),
  );
}

function layoutText({ learnerActors, replicas, sharded, actors }: RunPlan["layout"]): string {
  const learners = learnerActors > 1 ? counted(learnerActors, "learner") : "learner";
  const of = ` of ${counted(replicas, "GPU")}${sharded ? ", sharing state" : ""}`;
  return `${learners}${of}; ${counted(actors, "rollout actor")}`;
}

function bucketText(bucket: RunPlan["buckets"][number]): string {
  const { rows, length, packedRows, sharedPrompts, trainedTokens } = bucket;
  const packed = packedRows === undefined ? "" : `, ${packedRows} packed`;
  const trained = trainedTokens === undefined ? "" : `, ${trainedTokens} trained`;
  const shared =
    sharedPrompts === undefined ? "" : `, ${sharedPrompts.replies} share a prompt of ${sharedPrompts.length}`;
  return `${rows} × ${length}${packed}${shared}${trained}`;
}

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Describes a run's engines for a dry run: name and text of each line. */
function enginesText(plan: EnginePlan): (readonly [name: string, text: string])[] {
  const { kind, count, started, cpus, gpus, load, adapters, versionBytes, weightsDir } = plan;
  const leased = [counted(cpus, "CPU"), ...(gpus > 0 ? [counted(gpus, "GPU")] : [])].join(" and ");
  const each = count === 1 ? "" : " each";
  const lease = started
    ? `started by the run with the resources that its rollout actor leases: ${leased}${each}`
    : `already running, in addition to a rollout actor${each} that leases ${leased}`;
  const forEach = count === 1 ? "" : " for each engine";
  const how =
    load === "restart" ? "the server is restarted with them" : "the server reads them while it runs";
  return [
    ["engines", `${count} of kind ${kind}, ${lease}`],
    ...plan.found.map(({ name, said }) => ["", `${name} ${said}`] as const),
    [
      "new weights",
      adapters === "served"
        ? `the base, ${gib(versionBytes)}, is written to ${weightsDir} once${forEach}, and adapters after every update, which the server reads while it samples`
        : `after every update ${gib(versionBytes)} is written to ${weightsDir}${forEach}, and ${how}; at most two versions are kept${started ? ", in addition to the output of prepare" : ""}`,
    ],
  ];
}
