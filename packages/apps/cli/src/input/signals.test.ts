import { spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const signals = pathToFileURL(new URL("../../dist/input/signals.js", import.meta.url).pathname).href;

it("a program ends after its work, with its exit code, even if something holds it", async () => {
  // A server holds the process as a connection does that nobody can cancel.
  const program = `import { createServer } from "node:net";
    import { exitSoon } from ${JSON.stringify(signals)};
    createServer().listen(0, "127.0.0.1");
    process.exitCode = 3;
    exitSoon();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: "inherit" });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await once(child, "exit")).toEqual([3, null]);
});

it("a program that the end of its standard input stops takes SIGTERM after it for the first signal", async () => {
  const program = `import { stopSignal } from ${JSON.stringify(signals)};
    process.on("SIGTERM", () => setImmediate(() => process.exit(3)));
    stopSignal({ untilStdinEnds: true }).addEventListener("abort", () => process.stdout.write("stops"));
    setInterval(() => undefined, 60_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end();
  expect(String(await once(child.stdout, "data"))).toBe("stops");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([3, null]);
});
