import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AdvantageConfig, StepAdvantageConfig } from "../config/loss-config.js";
import { presets } from "../config/preset.js";
import { aConversation, aMember } from "../learner/groups.fixture.js";
import { rowsFromGroups } from "./rows.js";

interface GoldenCase {
  readonly id: string;
  readonly uid: readonly string[];
  readonly outcome_rewards: readonly number[];
  readonly rows: readonly {
    trajectory: number;
    step: number;
    action_reward: number;
    format_reward: number;
  }[];
  readonly alpha: number;
  readonly normalize_by_std: boolean;
  readonly official: { readonly advantages: readonly number[] };
  readonly intended: { readonly advantages: readonly number[] };
  readonly contested?: boolean;
}

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const file = `${shared}/fixtures/scoring/rememr1_rewards.json`;
const present = existsSync(file);
if (!present) process.stdout.write(`skipped: no golden advantages in ${file}\n`);

/** Advantages of every row of a case by a preset, with the case's own weight and normalization. */
function advantagesOf(golden: GoldenCase, name: "rememr1" | "rememr1-released"): number[] {
  const advantage = golden.normalize_by_std
    ? ({ kind: "grpo", epsilon: 1e-6, ddof: 1, singleton: "reward" } as const)
    : presets[name].advantage;
  const groups = [...new Set(golden.uid)].map((groupId) => {
    const members = golden.uid.flatMap((uid, episodeIndex) => {
      if (uid !== groupId) return [];
      const own = golden.rows
        .filter(({ trajectory }) => trajectory === episodeIndex)
        .toSorted((a, b) => a.step - b.step);
      const conversations = own.map(({ step }) => aConversation({ step }));
      const made = aMember({
        groupId,
        episodeIndex,
        reward: golden.outcome_rewards[episodeIndex] as number,
        conversations,
      });
      const trajectory = { ...made.trajectory, trajectoryId: String(episodeIndex) };
      const stepRewards = own.map((row) => row.action_reward + row.format_reward);
      return [{ trajectory, score: { ...made.score, stepRewards } }];
    });
    return { groupId, taskId: groupId, groupSize: Math.max(members.length, 2), members };
  });
  const { rows } = rowsFromGroups(groups, {
    advantage: AdvantageConfig.parse(advantage),
    stepAdvantage: StepAdvantageConfig.parse({
      ...presets[name].stepAdvantage,
      advantage,
      outcomeWeight: golden.alpha,
    }),
  });
  return golden.rows.map(({ trajectory, step }) => {
    const row = rows.find((each) => each.trajectoryId === String(trajectory) && each.step === step);
    return row?.advantage ?? Number.NaN;
  });
}

describe.skipIf(!present)("golden advantages of ReMemR1", () => {
  it("are what rememr1 gives as intended and rememr1-released as the code has them, where not disputed", () => {
    const cases: readonly GoldenCase[] = JSON.parse(readFileSync(file, "utf8")).advantages;
    expect(cases.length).toBeGreaterThan(20);
    for (const golden of cases.filter(({ contested }) => !contested)) {
      for (const [name, wanted] of [
        ["rememr1", golden.intended],
        ["rememr1-released", golden.official],
      ] as const) {
        const ours = advantagesOf(golden, name);
        wanted.advantages.forEach((advantage, i) => {
          expect(Math.abs((ours[i] as number) - advantage), `${golden.id} ${name} row ${i}`).toBeLessThan(
            1e-5,
          );
        });
      }
    }
  });
});
