import { afterEach, beforeEach, expect, test } from "vitest";
import { CommandRun } from "../commands/testing.js";
import { reportFailure } from "./failure.js";

const run = new CommandRun();
beforeEach(() => run.begin());
afterEach(() => run.end());

test("an error that carries text of others is one line that the terminal only shows", () => {
  expect(reportFailure(new Error("job \u001b]0;evil\u0007\u001b[2Jx\r failed:\nsecond \u009b31mline"))).toBe(
    1,
  );
  expect(run.stderr).toBe("error: job x failed: second 31mline\n");
});

test("a port in use comes with what to do", () => {
  const inUse = Object.assign(new Error("listen EADDRINUSE: address already in use 127.0.0.1:8000"), {
    code: "EADDRINUSE",
    address: "127.0.0.1",
    port: 8000,
  });
  reportFailure(inUse);
  expect(run.stderr).toMatch(
    /error: 127\.0\.0\.1:8000: another program listens there: stop it, or give another port \(0: a free one\) \(EADDRINUSE\)\n$/,
  );
});
