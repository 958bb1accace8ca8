import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBackend } from "@palimpsest/jit";
import { PRESET_NAMES } from "@palimpsest/learner";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { passes } from "../measure.js";
import { checkLosses } from "./check-losses.js";
import { type GoldenValue, readGolden } from "./golden-file.js";

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const path = `${shared}/fixtures/losses/golden.json`;
const missing = !existsSync(path);
if (missing) process.stderr.write(`skipped: no golden losses at ${path} (PALIMPSEST_SHARED moves it)\n`);

type Loss = Extract<GoldenValue, { readonly loss: number }>;

describe.skipIf(missing)("golden losses of other systems", () => {
  it.each(["tensorflow", "wasm", "cpu"] as const)(
    "are recomputed, every one of them, on %s",
    async (prefer) => {
      await loadBackend({ prefer });
      const golden = await readGolden(path);
      const measures = checkLosses(golden);
      expect(measures.filter((measure) => !passes(measure))).toEqual([]);
      for (const name of golden.cases.keys()) {
        expect(
          measures.some((measure) => measure.name.startsWith(name)),
          name,
        ).toBe(true);
      }
      for (const preset of PRESET_NAMES) {
        expect(
          measures.some((measure) => measure.preset === preset),
          preset,
        ).toBe(true);
      }
      // The file has nine decimals: float64 is far inside its bar, but for slime's numbers, which are float32.
      const own = measures.filter(({ width, name }) => width === "double" && !name.includes("slime"));
      expect(Math.max(...own.map(({ value }) => value))).toBeLessThan(2e-9);
    },
  );

  it("are distinguished when a value, a gradient or a count differs, in exactly that", async () => {
    await loadBackend({ prefer: "cpu" });
    const golden = await readGolden(path);
    const failed = (name: string, change: (wanted: Loss) => Loss) => {
      const cases = new Map(golden.cases).set(name, change(golden.cases.get(name) as Loss));
      const missed = checkLosses({ ...golden, cases }).filter((measure) => !passes(measure));
      return missed.map(({ preset, width, name: which }) => `${preset} ${width} ${which}`);
    };
    expect(failed("B_trl_grpo", (wanted) => ({ ...wanted, loss: wanted.loss + 2e-6 }))).toEqual([
      "trl-grpo double B_trl_grpo loss",
    ]);
    expect(failed("B_trl_grpo", (wanted) => ({ ...wanted, loss: wanted.loss - 2e-5 }))).toEqual([
      "trl-grpo double B_trl_grpo loss",
      "trl-grpo float32 B_trl_grpo loss",
    ]);
    const [, ...others] = (golden.cases.get("B_verl_cispo") as Loss).grad;
    expect(failed("B_verl_cispo", (wanted) => ({ ...wanted, grad: [0.5, ...others] }))).toEqual([
      "verl double B_verl_cispo gradient",
      "verl float32 B_verl_cispo gradient",
    ]);
    expect(failed("B_verl_vanilla_seq-mean-token-sum", (wanted) => ({ ...wanted, lower: 0.3 }))).toEqual([
      "verl double B_verl_vanilla_seq-mean-token-sum lower",
      "verl float32 B_verl_vanilla_seq-mean-token-sum lower",
    ]);
  });

  it("that nothing here makes, or of another form, are refused by name", async () => {
    await loadBackend({ prefer: "cpu" });
    const golden = await readGolden(path);
    const withCase = (name: string, value: number) => ({
      ...golden,
      cases: new Map([...golden.cases, [name, value]]),
    });
    expect(() => checkLosses(withCase("D_new", 1))).toThrow("golden case D_new is not known");
    expect(() => checkLosses(withCase("B_trl_grpo", 1))).toThrow("B_trl_grpo has another form");
  });
});

describe("a file of golden losses", () => {
  it("that is missing, no JSON or without its batch is refused by name", async () => {
    const folder = testFolder();
    const file = join(folder, "golden.json");
    await expect(readGolden(file)).rejects.toMatchObject({ code: "REFERENCE_INVALID" });
    await writeFile(file, "[");
    await expect(readGolden(file)).rejects.toThrow("no JSON");
    await writeFile(file, JSON.stringify({ A_rewards: [1, 0] }));
    await expect(readGolden(file)).rejects.toThrow("B_in");
  });
});
