import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readReplyAsReleased } from "@palimpsest/trajectories/text";
import { describe, expect, it } from "vitest";
import { rememr1StepReward, rememr1StepRewardAsReleased, type StepCase } from "./step-rewards.js";

interface Numbers {
  readonly r_mem: number | null;
  readonly r_call: number | null;
  readonly r_fmt: number | null;
  readonly r_state: number | null;
  readonly error?: string;
}
interface GoldenCase {
  readonly id: string;
  readonly action: "memory" | "final";
  readonly fields: Readonly<Record<"problem" | "recalled_memory" | "memory" | "section", string | undefined>>;
  readonly prompt: string;
  readonly response: string;
  readonly recalled: string;
  readonly ground_truths: readonly string[];
  readonly official: Numbers;
  readonly intended: Numbers;
  readonly parsed: { readonly recall_query: string | null; readonly stored_memory: string };
  readonly contested?: boolean;
}

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const file = `${shared}/fixtures/scoring/rememr1_rewards.json`;
const present = existsSync(file);
if (!present) process.stdout.write(`skipped: no golden rewards in ${file}\n`);
const cases = (): readonly GoldenCase[] => JSON.parse(readFileSync(file, "utf8")).cases;

const stepOf = ({ action, fields, response, recalled, ground_truths }: GoldenCase): StepCase => ({
  action,
  problem: fields.problem ?? "",
  recalledMemory: fields.recalled_memory ?? "",
  memory: fields.memory ?? "",
  section: fields.section ?? "",
  reply: response,
  found: recalled,
  answers: ground_truths,
});
const numbers = ({ memoryGain, recallGain, format, reward }: ReturnType<typeof rememr1StepReward>) => ({
  r_mem: memoryGain,
  r_call: recallGain,
  r_fmt: format,
  r_state: reward,
});

describe.skipIf(!present)("golden step rewards", () => {
  it("agree with every intended value, and so with the original's code wherever it is not disputed", () => {
    expect(cases().length).toBeGreaterThan(50);
    for (const golden of cases()) {
      const ours = numbers(rememr1StepReward(stepOf(golden)));
      for (const name of ["r_mem", "r_call", "r_fmt", "r_state"] as const) {
        expect(ours[name], `${golden.id} ${name}`).toBeCloseTo(golden.intended[name] as number, 6);
        if (!golden.contested)
          expect(ours[name], `${golden.id} ${name}`).toBeCloseTo(golden.official[name] as number, 6);
      }
    }
  });

  it("as released agree with every value of the original's code, disputed or not", () => {
    for (const golden of cases()) {
      const step = { ...stepOf(golden), prompt: golden.prompt };
      if (golden.official.error) {
        expect(() => rememr1StepRewardAsReleased(step), golden.id).toThrow("NO_GROUND_TRUTH");
        continue;
      }
      const ours = numbers(rememr1StepRewardAsReleased(step));
      for (const name of ["r_mem", "r_call", "r_fmt", "r_state"] as const)
        expect(ours[name], `${golden.id} ${name}`).toBeCloseTo(golden.official[name] as number, 6);
    }
  });

  it("as released read queries and memories as the original's code does", () => {
    for (const { id, response, parsed } of cases()) {
      const { memory, query } = readReplyAsReleased(response);
      expect([id, memory, query]).toEqual([id, parsed.stored_memory, parsed.recall_query]);
    }
  });
});
