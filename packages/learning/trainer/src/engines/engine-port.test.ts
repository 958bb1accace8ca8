import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { claimPort } from "./engine-port.js";

it("gives no two engines one port, and gives it again when the first has gone", async () => {
  const first = await claimPort();
  expect(first.port).toBeGreaterThan(1023);
  const offered = [first.port, first.port, first.port + 1];
  const second = await claimPort(async () => offered.shift() ?? 0);
  expect(second.port).toBe(first.port + 1);
  await first.release();
  const third = await claimPort(async () => first.port);
  expect(third.port).toBe(first.port);
  await Promise.all([second.release(), third.release()]);
});

it.runIf(process.platform === "linux")(
  "respects the claims of other processes, until they are gone",
  async () => {
    const { port, release } = await claimPort();
    await release();
    const source = `require("node:net").createServer().listen("\\0palimpsest-engine-port-${port}", () => console.log("has it"))`;
    const other = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "inherit"] });
    await once(other.stdout, "data");
    const offered = [port];
    const claim = await claimPort(async () => offered.shift() ?? port + 1);
    expect(claim.port).toBe(port + 1);
    other.kill("SIGKILL");
    await once(other, "exit");
    const again = await claimPort(async () => port);
    expect(again.port).toBe(port);
    await Promise.all([claim.release(), again.release()]);
  },
);
