import { spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";

it("a program ends after its work, with its exit code, even if something holds it", async () => {
  const signals = pathToFileURL(new URL("../../dist/input/signals.js", import.meta.url).pathname).href;
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
