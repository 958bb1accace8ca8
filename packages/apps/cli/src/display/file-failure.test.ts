import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { fileFailure } from "./file-failure.js";

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (reason) {
    return reason;
  }
  throw new Error("nothing failed");
}

test("an error of the file system names the path, the flag that gave it, and the remedy", () => {
  const folder = testFolder();
  const file = join(folder, "file");
  const missing = join(folder, "nope/x");
  writeFileSync(file, "");
  const cases = [
    ["ENOENT", "--output", missing, () => openSync(missing, "w"), "create its folder"],
    ["EISDIR", "--trace", folder, () => writeFileSync(folder, ""), "name a file"],
    ["ENOTDIR", "--run-dir", join(file, "run"), () => mkdirSync(join(file, "run")), "name a folder"],
    ["ENOENT", "--text", missing, () => readFileSync(missing), "check the path"],
  ] as const;
  for (const [code, flag, value, work, remedy] of cases) {
    const reason = failureOf(work);
    for (const argv of [
      ["ask", flag, value],
      ["ask", `${flag}=${value}`],
    ]) {
      const said = fileFailure(reason, argv);
      expect(said).toContain(`(${flag} ${value})`);
      expect(said).toContain(remedy);
      expect(said).toContain(`(${code})`);
    }
    expect(fileFailure(reason, ["ask"])).not.toContain("--");
  }
});

test("a path that is not there is answered with a similar one", () => {
  const folder = testFolder();
  writeFileSync(join(folder, "recipe.yaml"), "");
  const reason = failureOf(() => readFileSync(join(folder, "recpie.yaml")));
  expect(fileFailure(reason, [])).toContain(`; did you mean ${join(folder, "recipe.yaml")}?`);
  const inside = failureOf(() => readFileSync(join(folder, "recipe.yml/other")));
  expect(fileFailure(inside, [])).toContain(`; did you mean ${join(folder, "recipe.yaml")}?`);
});

test("a full disk names what the command writes, because the error does not say which file it was", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  const said = fileFailure(full, ["ask", "--question", "who?", "--trace", "/small/answer.html"]);
  expect(said).toMatch(/^\/small\/answer\.html \(--trace \/small\/answer\.html\): the disk is full/);
  expect(fileFailure(full, ["doctor"])).toMatch(/^ENOSPC: no space left on device, write: the disk is full/);
});

test("other errors stay as they are", () => {
  expect(fileFailure(new Error("x"), [])).toBeUndefined();
  expect(fileFailure(Object.assign(new Error("x"), { code: "ERR_OTHER" }), [])).toBeUndefined();
  expect(fileFailure("ENOENT", [])).toBeUndefined();
});

test("an error of the network names the address, the flag that gave it, and the remedy", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const { port } = z.object({ port: z.number() }).parse(taken.address());
  const second = createServer().listen(port, "127.0.0.1");
  const [inUse] = await once(second, "error");
  expect(fileFailure(inUse, ["serve", "--port", String(port)])).toBe(
    `127.0.0.1:${port} (--port ${port}): another program listens there: stop it, or give another port (0: a free one) (EADDRINUSE)`,
  );
  taken.close();
  await once(taken, "close");
  const [refused] = await once(connect(port, "127.0.0.1"), "error");
  expect(fileFailure(refused, ["status", "--address", `127.0.0.1:${port}`])).toBe(
    `127.0.0.1:${port} (--address 127.0.0.1:${port}): nothing listens there: start the server, or correct the address (ECONNREFUSED)`,
  );
});
