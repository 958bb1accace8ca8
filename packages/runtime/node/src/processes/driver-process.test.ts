import { execFile } from "node:child_process";
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";

const installed = fileURLToPath(new URL("../..", import.meta.url));

/** Starts the program next to it as a node starts a job, and prints what the node gets of its output. */
const runner = `
  import { join } from "node:path";
  import { prepareDriver } from "./dist/processes/driver-process.js";
  const folder = import.meta.dirname;
  const prepare = prepareDriver({
    headAddresses: () => "127.0.0.1:1",
    tokenFile: "", tls: "", command: [], environment: {}, gpus: [], workDir: folder,
    environments: { modulePath: async () => join(folder, "program.mjs") },
  });
  const begin = await prepare({ jobId: "job-1", argv: ["program"] }, new AbortController().signal);
  const { exitCode } = await begin((bytes) => process.stdout.write(bytes)).ended;
  process.exitCode = exitCode;
`;

/** Runs a program as a job of an installation in this folder. @returns its output */
async function run(folder: string, source: string): Promise<Buffer> {
  cpSync(join(installed, "dist"), join(folder, "dist"), {
    recursive: true,
    filter: (path) => !path.endsWith(".map"),
  });
  symlinkSync(join(installed, "node_modules"), join(folder, "node_modules"));
  cpSync(join(installed, "package.json"), join(folder, "package.json"));
  writeFileSync(join(folder, "program.mjs"), source);
  writeFileSync(join(folder, "runner.mjs"), runner);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "runner.mjs")], {
    encoding: "buffer",
  });
  return stdout;
}

test.each(["C# 100% x%41y what?", "a b é 日本"])(
  "a job of a checkout in the folder %s runs",
  async (name) => {
    const output = await run(join(testFolder(), name), "console.log('it ran');");
    expect(output.toString()).toBe("it ran\n");
  },
);

test("a job's output arrives byte for byte, and it has no channel of Node.js", async () => {
  const output = await run(
    testFolder(),
    `process.disconnect?.();
     process.stdout.write(JSON.stringify([typeof process.send, "x".repeat(300_000)]) + "\\n");
     process.stdout.write(Buffer.from([0xff, 0xfe, 0, 0x80, 10]));
     process.stdout.write("no end");`,
  );
  const line = output.indexOf(10);
  expect(JSON.parse(output.toString("utf8", 0, line))).toEqual(["undefined", "x".repeat(300_000)]);
  expect(output.subarray(line + 1)).toEqual(Buffer.from([0xff, 0xfe, 0, 0x80, 10, ...Buffer.from("no end")]));
});
