import { basename, dirname, relative } from "node:path";
import { shellWord } from "@palimpsest/std";
import { heldText, type LengthRow, type RunReport } from "@palimpsest/trainer";
import { counted, formatCount } from "./count.js";
import { formatSeconds } from "./duration.js";
import { sparkline } from "./sparkline.js";
import { formatTable } from "./table.js";

const percent = (share: number | null) => (share === null ? "–" : `${(share * 100).toFixed(1)} %`);

/**
 * Summarizes the end of a run on one screen.
 * @param guide path of the document that goes on from there
 */
export function reportText(report: RunReport, guide: string): string {
  const { exactMatchByLength: rows } = report;
  const rewards = rows.some(rewardsMoreThanMatches);
  const matches = rows.some(({ after }) => after !== null);
  const table = formatTable(
    [
      "document",
      "questions",
      ...(matches ? ["before", "after", "95 % interval"] : []),
      "of 1x",
      ...(rewards ? ["reward"] : []),
      "µs/token",
      "peak MiB",
    ],
    rows.map((row) => [
      `${row.factor}x (${row.lengthTokens} tokens)`,
      String(row.tasks),
      ...(matches ? [percent(row.before), percent(row.after), intervalOf(row)] : []),
      percent(row.share),
      ...(rewards ? [rewardsOf(row)] : []),
      row.microsecondsPerDocumentToken.toFixed(0),
      row.peakRssMib.toFixed(0),
    ]),
  );
  const phases = Object.entries(report.secondsByPhase).flatMap(([phase, seconds]) =>
    // What took no time, such as demonstrations that a recipe has none of, is of no use to a reader.
    seconds < 0.5 ? [] : [`${phase} ${formatSeconds(seconds)}`],
  );
  const lines = [
    "",
    `${headline(report)} after ${stepsText(report)}${report.shuffleRewards ? " on shuffled rewards" : ""}`,
    "",
    ...(rows.length > 0 ? [table, ""] : []),
    `reward      ${sparkline(report.rewardCurve, 60)}`,
    ...bestLines(report),
    `time        ${phases.join(", ")}`,
    `speed       sampler ${formatCount(report.samplerTokensPerSecond)} tokens/s, learner ${formatCount(report.learnerTokensPerSecond)} tokens/s, ${report.backend}`,
    `agreement   ${agreement(report)}`,
    ...report.plan.map(
      (figure, at) => `${(at === 0 ? "plan" : "").padEnd(12)}${figure.what}: ${heldText(figure)}`,
    ),
    `groups      ${report.groupsDispatched} dispatched, ${report.groupsTrained} trained, ${report.groupsFailed} failed`,
    `processes   ${report.processes.map(({ role, pid }) => `${role} ${pid}`).join(", ")}`,
    ...learnedLines(report),
    ...fileLines(report),
    ...(report.traces === null ? [] : nextLines(report.traces, guide)),
    "",
  ];
  return `${lines.join("\n")}\n`;
}

/** How far sampler and learner were apart, and how far they may be. */
function agreement({ logprobDifference: { mean, p99, most, kl, limit } }: RunReport): string {
  const nats = (value: number) => value.toPrecision(2);
  const bound = limit === null ? "no limit" : `at most ${limit} over 8 updates`;
  return `log-probs of sampler and learner differ by ${nats(mean)} nats per token (${bound}), 1 % by more than ${nats(p99)}, none by more than ${nats(most)}; KL ${nats(kl)}`;
}

/** Says in plain words what was learned, and against what; nothing of a recipe that has no right answers. */
function learnedLines({ exactMatchByLength: [home, ...longer], shuffleRewards }: RunReport): string[] {
  if (home === undefined || home.before === null || home.after === null) return [];
  const furthest = longer.at(-1);
  return [
    "",
    "What was learned",
    `  Of ${counted(home.tasks, "question")} that it was not trained on, the model answered right`,
    `  ${percent(home.before)} before training and ${percent(home.after)} after it${furthest === undefined ? "" : `; over documents ${furthest.factor} times as long, ${percent(furthest.after)}`}.`,
    shuffleRewards
      ? "  This was the control: its rewards were shuffled, so that it must not get better."
      : "  The control, the same command with --shuffle-rewards, must not get better.",
  ];
}

/** Returns a path as seen from the working folder, if it lies in that. */
function fromHere(path: string): string {
  const way = relative(process.cwd(), path) || ".";
  return way.startsWith("..") ? path : way;
}

/** Names where everything is. */
function fileLines({ checkpoint, model, files }: RunReport): string[] {
  const folder = dirname(model);
  const inFolder = (path: string) => relative(folder, path) || path;
  const pages = files.filter((file) => /report\.md|example\.md|\.svg$/.test(file));
  return [
    "",
    `Where it is: ${fromHere(folder)}`,
    `  ${basename(model)}  the trained model`,
    `  ${inFolder(checkpoint)}  the state from which the run can go on`,
    ...pages.map((page) => `  ${inFolder(page)}`),
  ];
}

/** Names the commands that show what the agent kept, and what goes on from there. */
function nextLines(traces: string, guide: string): string[] {
  const folder = shellWord(fromHere(dirname(traces)));
  return [
    "",
    "What to do next",
    "  Ask the agent that was trained about a text of yours, in the words that it was trained on:",
    `    npx palimpsest ask FILE -q QUESTION --model ${folder}`,
    "  Look at what it read, kept and lost, chunk by chunk, in a browser or as one HTML file:",
    `    npx palimpsest dashboard ${folder}`,
    `    npx palimpsest trace view ${folder}/${basename(traces)}/*.jsonl`,
    `  Begin an agent of your own (${guide} goes on from here):`,
    "    npx palimpsest new agent mine",
  ];
}

/** Summarizes the evaluations during training. */
function bestLines({ best, evaluations }: RunReport): string[] {
  if (best === null) return [];
  const curve = sparkline(
    evaluations.map(({ value }) => value),
    60,
  );
  return [
    `evaluated   ${curve}  best ${best.value.toFixed(3)} after step ${best.step}: model export RUN --best`,
  ];
}

function stepsText({ steps, rewardCurve }: RunReport): string {
  const now = rewardCurve.length;
  return now < steps
    ? `${counted(steps, "step")}, ${now} of them since the run was resumed`
    : counted(steps, "step");
}

const intervalOf = ({ interval }: LengthRow) =>
  interval === null ? "–" : `${percent(interval[0])} – ${percent(interval[1])}`;

/** Returns whether the reward says more than the exact match, which it equals if it is 1 for right and 0 for wrong. */
const rewardsMoreThanMatches = ({ rewardBefore, rewardAfter, before, after }: LengthRow) =>
  rewardAfter !== after || rewardBefore !== before;

const reward = (value: number | null | undefined) => value?.toFixed(3) ?? "–";
const rewardsOf = ({ rewardBefore, rewardAfter }: LengthRow) =>
  `${reward(rewardBefore)} → ${reward(rewardAfter)}`;

/** Formats exact match and reward before and after training; only the rewards of a recipe without an evaluation. */
function headline({ exactMatchBefore, exactMatchAfter, exactMatchByLength, rewardCurve }: RunReport): string {
  const [home] = exactMatchByLength;
  if (!home) return `Reward ${reward(rewardCurve[0])} → ${reward(rewardCurve.at(-1))}`;
  if (exactMatchAfter === null) return `Reward ${rewardsOf(home)}`;
  const matches = `Exact match ${percent(exactMatchBefore)} → ${percent(exactMatchAfter)}`;
  return rewardsMoreThanMatches(home) ? `${matches}, reward ${rewardsOf(home)}` : matches;
}
