/**
 * Runs a long fuzzing campaign over everything that decodes untrusted bytes.
 *
 * Usage: npx tsx --conditions=@palimpsest/source test/fuzz/run.ts [--messages 1000000] [--seed 1] [--json FILE]
 * Exits 1 and prints seed, iteration and bytes of each finding.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runCampaign } from "./campaign.js";
import { decoders } from "./decoders.js";

const { values: flags } = parseArgs({
  options: {
    messages: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    json: { type: "string" },
  },
});
const startedAt = performance.now();
const result = runCampaign(decoders, Number(flags.messages), Number(flags.seed));
const seconds = (performance.now() - startedAt) / 1000;
for (const { decoder, problem, iteration, base64 } of result.findings)
  process.stdout.write(`${decoder}, iteration ${iteration}: ${problem}\n  ${base64.slice(0, 400)}\n`);
const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
process.stdout.write(
  `${result.messages} messages to ${decoders.length} decoders in ${seconds.toFixed(0)} s: ${result.findings.length} findings, ` +
    `${result.accepted} still decoded, slowest ${result.slowestMs.toFixed(0)} ms, heap ${mebibytes(result.heapBytes.early)} MiB ` +
    `at a quarter, ${mebibytes(result.heapBytes.late)} MiB at the end\n`,
);
if (flags.json) writeFileSync(flags.json, `${JSON.stringify({ ...result, seconds }, null, 2)}\n`);
process.exitCode = result.findings.length > 0 ? 1 : 0;
