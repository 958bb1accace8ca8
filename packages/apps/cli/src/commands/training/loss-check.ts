import type { LossMeasure } from "@palimpsest/checks";
import type { Command } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import { measureSchema } from "../../display/measure-schema.js";
import { formatTable } from "../../display/table.js";

interface LossCheckOptions {
  readonly golden: string;
  readonly json?: boolean;
}

const output = new JsonOutput(() =>
  z.strictObject({
    passed: z.boolean(),
    backend: z.string(),
    measures: z.array(
      measureSchema.extend({
        preset: z.string(),
        width: z.enum(["double", "float32"]),
      }),
    ),
  }),
);

export function addLoss(program: Command): void {
  const loss = program.command("loss").description("policy losses");
  loss
    .command("check")
    .description("recomputes golden losses, gradients and advantages of other systems, preset by preset")
    .requiredOption("--golden <file>", "JSON of golden values")
    .addOption(output.option())
    .addHelpText("after", "\nThe exit code is 1 if a difference exceeds its tolerance.")
    .action(async (options: LossCheckOptions) => {
      const { loadBackend } = await import("@palimpsest/jit");
      const { checkLosses, passes, readGolden } = await import("@palimpsest/checks");
      const golden = await readGolden(options.golden);
      const backend = await loadBackend();
      const measures = checkLosses(golden);
      const passed = measures.every(passes);
      if (options.json) {
        const judged = measures.map((measure) => ({ ...measure, passed: passes(measure) }));
        output.print({ passed, backend: backend.name, measures: judged });
      } else {
        const mark = (measure: LossMeasure | undefined) =>
          measure === undefined ? "" : `${measure.value.toExponential(1)}${passes(measure) ? "" : " MISSED"}`;
        const rows = rowsOf(measures).map(({ preset, name, double, float32 }) => [
          preset,
          name,
          mark(double),
          mark(float32),
        ]);
        const barOf = (width: LossMeasure["width"]) => measures.find((each) => each.width === width)?.bar;
        const headings = [
          "preset",
          "golden value",
          `double ≤ ${barOf("double")}`,
          `float32 ≤ ${barOf("float32")}`,
        ];
        process.stdout.write(`${formatTable(headings, rows)}\n`);
        const missed = measures.filter((measure) => !passes(measure)).length;
        const verdict =
          missed === 0
            ? "all differences are within their tolerances"
            : `${missed} differences exceed their tolerances`;
        process.stdout.write(`\n${verdict} (float32 on ${backend.name})\n`);
      }
      if (!passed) process.exitCode = 1;
    });
}

interface Row {
  readonly preset: string;
  readonly name: string;
  readonly double?: LossMeasure;
  readonly float32?: LossMeasure;
}

/** Returns one row per value, with both of its widths, sorted by preset. */
function rowsOf(measures: readonly LossMeasure[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const measure of measures) {
    const { preset, name, width } = measure;
    const key = JSON.stringify([preset, name]);
    rows.set(key, { ...(rows.get(key) ?? { preset, name }), [width]: measure });
  }
  return [...rows.values()].sort((a, b) => a.preset.localeCompare(b.preset));
}
