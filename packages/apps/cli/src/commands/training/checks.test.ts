import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../../test/support/temporary-folder.js";
import { addModel } from "../model/model.js";
import { CommandRun } from "../testing.js";
import { addLoss } from "./loss-check.js";

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../../shared", import.meta.url));
const reference = `${shared}/fixtures/hf-parity/qwen2`;
const golden = `${shared}/fixtures/losses/golden.json`;
const missing = !existsSync(reference) || !existsSync(golden);
if (missing)
  process.stderr.write(`skipped: no fixtures at ${shared}/fixtures (PALIMPSEST_SHARED moves them)\n`);

const folder = fileFolder();
const cli = new CommandRun(addModel, addLoss);
beforeEach(() => cli.begin());
afterEach(() => cli.end());
const run = (...words: string[]) => cli.run(...words);

/** A copy of the reference whose reference.json is changed. */
function changed(change: (json: { dapo: { loss: number } }) => void): string {
  const copy = mkdtempSync(join(folder, "reference-"));
  cpSync(reference, copy, { recursive: true });
  const path = join(copy, "reference.json");
  const json = JSON.parse(readFileSync(path, "utf8"));
  change(json);
  // The fixture may be read-only, and its copy with it.
  rmSync(path, { force: true });
  writeFileSync(path, JSON.stringify(json));
  return copy;
}

const backend = ["--backend", "wasm", "--mode", "eager"];

describe.skipIf(missing)("model check", () => {
  it("prints each difference beside its bar and ends with 0", async () => {
    const words = ["--reference", reference, "--model", reference];
    const table = await run("model", "check", ...words, ...backend);
    expect(table).toMatch(/ok +log-probabilities +\S+ +≤ 5\.0e-4/);
    expect(table).toMatch(/ok +greedy continuation: other tokens of 20 +0 +≤ 0/);
    expect(table).toContain("all 36 measures are within their limits (wasm, mode eager)");
    expect(process.exitCode).toBeUndefined();
  });

  it("names what missed its bar and ends with 1", async () => {
    const bent = changed((json) => {
      json.dapo.loss += 0.001;
    });
    const facts = JSON.parse(await run("model", "check", "--reference", bent, "--json", ...backend));
    expect(facts).toMatchObject({ passed: false, backend: "wasm", mode: "eager" });
    const missed = facts.measures.filter((measure: { passed: boolean }) => !measure.passed);
    expect(missed).toEqual([expect.objectContaining({ name: "dapo: loss", bar: 5e-5, goal: "atMost" })]);
    expect(process.exitCode).toBe(1);
  });

  it("refuses a model that does not fit and a folder that is not there", async () => {
    const other = run(
      "model",
      "check",
      "--reference",
      reference,
      "--model",
      join(reference, "../qwen3"),
      ...backend,
    );
    await expect(other).rejects.toMatchObject({ code: "SHAPE_MISMATCH" });
    await expect(run("model", "check", "--reference", join(folder, "nowhere"))).rejects.toThrow(
      "does not exist",
    );
    await expect(run("model", "check", "--reference", folder, ...backend)).rejects.toMatchObject({
      code: "REFERENCE_INVALID",
    });
  });
});

describe.skipIf(missing)("loss check", () => {
  it("prints every preset's differences in both widths and ends with 0", async () => {
    const table = await run("loss", "check", "--golden", golden);
    for (const preset of ["memagent", "memagent-vime", "rememr1", "verl", "slime", "trl", "prime"]) {
      expect(table).toMatch(new RegExp(`^${preset} `, "m"));
    }
    expect(table).toMatch(/^trl +B_trl_dapo gradient +\S+e-\S+ +\S+e-\S+$/m);
    expect(table).toContain("all differences are within their tolerances");
    expect(process.exitCode).toBeUndefined();
  });

  it("names what missed its bar and ends with 1", async () => {
    const json = JSON.parse(readFileSync(golden, "utf8"));
    json["B_prime_default(DPPO)"].loss += 5e-6;
    const path = join(folder, "golden.json");
    writeFileSync(path, JSON.stringify(json));
    const table = await run("loss", "check", "--golden", path);
    expect(table).toMatch(/^prime +B_prime_default\(DPPO\) loss +5\.0e-6 MISSED +\S+e-6$/m);
    expect(table).toContain("1 differences exceed their tolerances");
    expect(process.exitCode).toBe(1);
    const facts = JSON.parse(await run("loss", "check", "--golden", path, "--json"));
    expect(facts.passed).toBe(false);
    expect(facts.measures.filter((measure: { passed: boolean }) => !measure.passed)).toEqual([
      expect.objectContaining({ preset: "prime", width: "double", bar: 1e-6 }),
    ]);
  });
});
