import { type ErrorCode, PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { untilTaken } from "./step-attempts.js";

const threw = (code: ErrorCode) =>
  new PalimpsestError("ACTOR_ERROR", "trainStep threw", { cause: new PalimpsestError(code, "away") });

/** A step that fails with these errors, one after the other, and then succeeds. */
function step(...failures: Error[]) {
  return stepWithHead([], ...failures);
}

/** The same, and a head that refuses to restart the learner with those errors at first. */
function stepWithHead(refusals: Error[], ...failures: Error[]) {
  const log: string[] = [];
  const abort = new AbortController();
  const taken = untilTaken(
    async () => {
      log.push("take");
      const failure = failures.shift();
      if (failure) throw failure;
      return "done";
    },
    {
      restartLearner: async () => {
        log.push("restart");
        const refusal = refusals.shift();
        if (refusal) throw refusal;
      },
      onAgain: ({ code }) => log.push(code),
      signal: abort.signal,
    },
  );
  return { log, taken };
}

test("a step that failed for a passing reason is taken again by a learner that began anew", async () => {
  const { log, taken } = step(threw("UNAVAILABLE"), threw("GET_TIMEOUT"));
  expect(await taken).toBe("done");
  expect(log).toEqual(["take", "UNAVAILABLE", "restart", "take", "GET_TIMEOUT", "restart", "take"]);
});

test.each([
  ["a reason of its own", threw("INVALID_ARGUMENT")],
  [
    "an error that is not the cluster's",
    new PalimpsestError("ACTOR_ERROR", "threw", { cause: new Error("NaN") }),
  ],
  ["the end of the learner", new PalimpsestError("ACTOR_DIED", "no restarts are left")],
])("%s ends the run at once", async (_name, failure) => {
  const { log, taken } = step(failure);
  await expect(taken).rejects.toBe(failure);
  expect(log).toEqual(["take"]);
});

test("a reason that does not pass ends the run at the fourth attempt", async () => {
  const failures = Array.from({ length: 4 }, () => threw("UNAVAILABLE"));
  const last = failures.at(-1);
  const { log, taken } = step(...failures);
  await expect(taken).rejects.toBe(last);
  expect(log.filter((entry) => entry === "take")).toHaveLength(4);
});

test("a head that is away while the learner is to begin anew is asked again", async () => {
  const away = new PalimpsestError("UNAVAILABLE", "no head answers");
  const { log, taken } = stepWithHead([away, away], threw("UNAVAILABLE"));
  expect(await taken).toBe("done");
  expect(log).toEqual(["take", "UNAVAILABLE", "restart", "restart", "restart", "take"]);
});
