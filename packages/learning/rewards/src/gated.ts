import { namedEvidence } from "@palimpsest/memory/records";
import type { Score, Task } from "@palimpsest/trajectories";
import { z } from "zod";
import { answerSettings } from "./answer-settings.js";
import { RewardError } from "./error.js";
import { rewardByName } from "./reward.js";
import type { ScoredEpisode, TrajectoryReward } from "./reward-kind.js";

const weight = z.number().min(0).max(0.3);

/**
 * Settings of the reward of an agent with gates. The weights of savings are at most 0.3 together, so that a right answer is
 * worth at least 0.65 more than a wrong one, whatever was saved.
 */
export const gatedRewardSchema = z
  .strictObject({
    name: z
      .literal("gated")
      .describe("answer, of which a right one is worth more, the less was written and read for it"),
    ...answerSettings,
    written: weight
      .default(0.1)
      .describe(
        "taken from a right answer where every reply was as long as it may be; less for shorter ones",
      ),
    read: weight
      .default(0.1)
      .describe("taken from a right answer where every section was read; less for fewer"),
    recalled: weight
      .default(0)
      .describe(
        "taken from a right answer where every section recalled as much of the document as fits in a memory; less for less",
      ),
    form: z
      .number()
      .min(0)
      .max(0.05)
      .default(0.05)
      .describe("added where no reply was cut at its limit, whatever the answer"),
  })
  .refine(({ written, read, recalled }) => written + read + recalled <= 0.3 + Number.EPSILON, {
    error: "written, read and recalled must be at most 0.3 together, so that no saving is worth an answer",
  });

/** Settings of the rewards of GRU-Mem (arXiv:2602.10560), which need tasks that name their evidence. */
export const gatedPublishedSchema = z.strictObject({
  name: z
    .literal("gated-published")
    .describe("GRU-Mem: answer, place of the exit and form, and for each step whether it was right to write"),
  ...answerSettings,
});

/**
 * Rewards what a reader saves, on right answers only: outcome · (1 − written · W − read · R − recalled · B) + form, where W
 * is the share of the most tokens that replies to all sections may have, R the share of the sections that was read, and B
 * the share of the most tokens that looking back may add.
 * Components: those of the outcome, `unwrittenShare`, `unreadShare`, `unrecalledShare` where they count, `form`.
 * @throws {RewardError} BAD_CONFIG for an agent that does not count what it saves, or a document whose length was not known
 */
export function gatedReward(config: z.output<typeof gatedRewardSchema>): TrajectoryReward {
  const outcome = rewardByName(config.outcome, { lastCharacters: config.lastCharacters });
  return (task, episode): Score => {
    const { reward, components } = outcome(episode.answer, task.answers);
    const form = wellFormed(episode);
    const saved = savings.flatMap(({ weight, counter, component }) =>
      config[weight] === 0
        ? []
        : [{ weight: config[weight], component, share: savedShare(episode, counter) }],
    );
    const cost = saved.reduce((sum, { weight, share }) => sum + weight * (1 - share), 0);
    const shares = Object.fromEntries(saved.map(({ component, share }) => [component, share]));
    return {
      reward: reward * (1 - cost) + config.form * form,
      components: { ...components, ...shares, form },
    };
  };
}

const savings = [
  { weight: "written", counter: "unwritten_share", component: "unwrittenShare" },
  { weight: "read", counter: "unread_share", component: "unreadShare" },
  { weight: "recalled", counter: "unrecalled_share", component: "unrecalledShare" },
] as const;

function savedShare({ counters }: ScoredEpisode, name: string): number {
  const share = counters?.[name];
  if (share !== undefined) return share;
  throw new RewardError(
    "BAD_CONFIG",
    `reward: gated needs the counter ${name}, which the episode does not have; set agent.settings.gates, or lookBack for what is recalled, and give documents whose length is known`,
  );
}

const wellFormed = ({ conversations }: ScoredEpisode) =>
  conversations.every(({ stopReason }) => stopReason !== "length") ? 1 : 0;

/** Of an exit before, with and after the section with the last evidence. */
const exits = { early: -0.75, right: 0, late: -0.5 } as const;

/**
 * GRU-Mem's rewards. Trajectory: outcome + exit + form, where the exit is compared with the section of the last evidence.
 * Step: +1 if the memory was written exactly where the section has evidence, else −1; 0 for the answer. An exit pays
 * whatever the answer: that is the published reward's hole, which `gated` does not have.
 * Components: those of the outcome, `exit`, `form`, `rightWrites` (share of the steps).
 * @throws {RewardError} STEPS_MISSING without gates; BAD_CONFIG for a task that names no evidence
 */
export function gatedPublishedReward(config: z.output<typeof gatedPublishedSchema>): TrajectoryReward {
  const outcome = rewardByName(config.outcome, { lastCharacters: config.lastCharacters });
  return (task, episode): Score => {
    const { reward, components } = outcome(episode.answer, task.answers);
    const { sections, last, read } = evidenceSections(task, episode);
    const exit = last === undefined || read < last ? exits.early : read === last ? exits.right : exits.late;
    const form = wellFormed(episode);
    const steps = new Map(
      episode.memorySteps.map(({ step, written }, at) => {
        if (written === undefined) throw stepsMissing(step);
        return [step, written === sections.has(at) ? 1 : -1];
      }),
    );
    const stepRewards = episode.conversations.map(({ kind, step }) => {
      if (kind === "final") return 0;
      const own = steps.get(step);
      if (own === undefined) throw stepsMissing(step);
      return own;
    });
    const right = [...steps.values()].filter((value) => value > 0).length;
    return {
      reward: reward + exit + form,
      components: { ...components, exit, form, rightWrites: right / Math.max(1, steps.size) },
      stepRewards,
    };
  };
}

const stepsMissing = (step: number) =>
  new RewardError(
    "STEPS_MISSING",
    `memorySteps: step ${step} has no mark of a write gate; set agent.settings.gates.keep, or use the reward gated`,
  );

/**
 * Finds the sections that were read and have evidence.
 * @returns their indices, that of the last evidence, which is undefined if a piece of it was not read, and that of the
 *   last section that was read
 */
function evidenceSections(
  task: Task,
  { memorySteps }: ScoredEpisode,
): { readonly sections: ReadonlySet<number>; readonly last: number | undefined; readonly read: number } {
  const evidence = namedEvidence(task).map(({ text }) => text.trim());
  if (evidence.length === 0)
    throw new RewardError(
      "BAD_CONFIG",
      `task ${task.id}: names no evidence in its metadata, which the reward gated-published needs; use the reward gated`,
    );
  // Sections that are read again come after later ones.
  const reading = memorySteps.filter(
    ({ documentTokenStart }, at) => documentTokenStart >= (memorySteps[at - 1]?.documentTokenEnd ?? 0),
  );
  const text = reading.map(({ section = "" }) => section).join("");
  const sections = new Set<number>();
  let last: number | undefined = -1;
  for (const piece of evidence) {
    const start = text.indexOf(piece);
    if (start < 0) {
      last = undefined;
      continue;
    }
    let from = 0;
    for (const [at, { section = "" }] of reading.entries()) {
      const to = from + section.length;
      if (start < to && from < start + piece.length) {
        sections.add(at);
        if (last !== undefined) last = Math.max(last, at);
      }
      from = to;
    }
  }
  return { sections, last, read: reading.length - 1 };
}
