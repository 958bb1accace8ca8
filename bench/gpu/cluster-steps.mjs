/**
 * Beside a run: when each line of its metrics.jsonl came. At SIGINT: seconds to the first step's end, the later half's median
 * seconds per step, their parts, and episodes per hour. Usage: node bench/gpu/cluster-steps.mjs metrics.jsonl
 */
import { readFileSync } from "node:fs";

const file = process.argv[2];
const began = performance.now();
const steps = [];
function look() {
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return; // The run has not begun its first step.
  }
  const lines = text.split("\n").slice(0, -1);
  const atSeconds = (performance.now() - began) / 1000;
  for (const line of lines.slice(steps.length)) steps.push({ atSeconds, ...JSON.parse(line) });
}
const looking = setInterval(look, 20);

const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
process.once("SIGINT", () => {
  look();
  clearInterval(looking);
  const half = steps.slice(Math.floor(steps.length / 2));
  const [first, last] = [half[0], half.at(-1)];
  const seconds = (last.atSeconds - first.atSeconds) / (half.length - 1);
  const parts = [
    "rolloutSeconds",
    "learnerWaitSeconds",
    "updateSeconds",
    "checkpointSeconds",
    "publishSeconds",
  ];
  const said = {
    steps: steps.length,
    firstStepEndedSeconds: steps[0].atSeconds,
    secondsPerStep: seconds,
    episodesPerHour: (last.update.trajectories * 3600) / seconds,
    medians: Object.fromEntries(parts.map((part) => [part, median(half.map((step) => step[part]))])),
    stalenessMean: median(half.map((step) => step.update.stalenessMean)),
    rewards: steps.map((step) => Number(step.rewardMean.toFixed(3))),
  };
  console.log(JSON.stringify(said));
});
