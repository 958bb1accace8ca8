/** The program of both workers, which the page starts from a blob. */
import type { FromWorker, ToWorker } from "./messages.js";
import { openPolicy, world } from "./policy.js";

const say = (message: FromWorker) => self.postMessage(message);
const policy = openPolicy();
let version = 0;
let isStopped = false;

async function carryOut(message: ToWorker): Promise<void> {
  const { setWeights, draw, trace, examine, steps } = await policy;
  switch (message.kind) {
    case "learn": {
      isStopped = false;
      let last = 0;
      const startedAt = performance.now();
      for await (const done of steps(message.shuffleRewards)) {
        last = done.step;
        say({ kind: "step", ...done, seconds: (performance.now() - startedAt) / 1000 });
        if (isStopped) break;
      }
      say({ kind: "learned", steps: last });
      break;
    }
    case "draw": {
      const question = await draw(message.position);
      say({ kind: "trace", question, ...(await trace(question)), version });
      break;
    }
    case "read":
      say({ kind: "trace", question: message.question, ...(await trace(message.question)), version });
      break;
    case "examine":
      say({ kind: "examined", step: message.step, ...(await examine()) });
      break;
    case "weights":
      ({ version } = message);
      await setWeights(message.weights, version);
      break;
    case "stop":
      isStopped = true;
  }
}

const failed = (reason: unknown) =>
  say({
    kind: "failed",
    problem: reason instanceof Error ? (reason.stack ?? reason.message) : String(reason),
  });

/** One after another, but for `stop`, which must not wait for what it stops. */
let turn: Promise<void> = policy.then(() => say({ kind: "ready", world }));
turn.catch(failed);
self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "stop") isStopped = true;
  else turn = turn.then(() => carryOut(data)).catch(failed);
};
