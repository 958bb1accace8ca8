#!/usr/bin/env node
// `npm run docs:check [-- TEXT]`: runs every command of README and docs (those that contain TEXT) in a sandbox, a project with the
// packed tarballs, and ends with `N ran, N left out, N failed`. How each is run is in rules.mjs. Needs built code.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { documentedCommands, markdownBelow } from "./commands.mjs";
import { ruleOf } from "./rules.mjs";
import { lineFor, runOne } from "./run.mjs";
import { Sandbox } from "./sandbox.mjs";
import { checkSnippets } from "./snippets.mjs";

const root = join(import.meta.dirname, "../..");
const wanted = process.argv[2] ?? "";
const say = (text) => process.stdout.write(`${text}\n`);

const named = {
  shared: "data sets beside the checkout",
  smollm2: "smollm2-135m-instruct in the cache",
  npm: "npm",
};

function reasonToLeaveOut(rule, sandbox) {
  const missing = (rule.needs ?? []).find((need) => !sandbox.has.has(need));
  return rule.skip ?? (missing && `needs ${named[missing]}`);
}

const files = [
  "README.md",
  ...["docs", "examples", "recipes", "packages", "skills"].flatMap((name) => markdownBelow(root, name)),
];
const commands = documentedCommands(root, files);
const found = commands.filter(({ file, line }) => `${file}: ${line}`.includes(wanted));
const counts = { ran: 0, leftOut: 0, failed: 0 };
const sandbox = await Sandbox.start(root);
/** The same command in two documents is run once. */
const done = new Set();
let kept = [];
let file = "";
const endOfDocument = async () => {
  for (const child of kept.reverse()) await child.stop();
  kept = [];
  // Each document makes certificates of its own.
  for (const name of ["certs", "tls-head", "tls-node"])
    rmSync(join(sandbox.folder, name), { recursive: true, force: true });
};
const interrupted = new Promise((_, reject) => {
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => reject(new Error(`${signal}: stopped`)));
});
async function checkAll() {
  for (const command of found) {
    if (command.file !== file) await endOfDocument();
    file = command.file;
    const rule = ruleOf(command);
    const reason = reasonToLeaveOut(rule, sandbox);
    if (reason) {
      counts.leftOut += 1;
      say(`left out  ${file}: ${command.line} (${reason})`);
      continue;
    }
    if (existsSync(join(sandbox.folder, "tls-head/head.json")))
      sandbox.values.TLS_ADDRESS = sandbox.addressIn("tls-head");
    const line = lineFor(command.line, rule, sandbox);
    const whole = [...command.exported, line].join(" ");
    if (done.has(whole) && !rule.keep) continue;
    done.add(whole);
    const startedAt = performance.now();
    const wrong = await runOne(line, rule, sandbox, kept, command.exported);
    counts[wrong ? "failed" : "ran"] += 1;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    say(`${wrong ? "FAILED" : "ran"}  ${file}: ${command.line}  (${seconds} s)`);
    if (wrong) say(`  run as: ${line}\n  ${wrong.replaceAll("\n", "\n  ")}`);
  }
}
try {
  await Promise.race([checkAll(), interrupted]);
  const read = files.filter((name) => wanted === "" || name.includes(wanted));
  const { checked, wrong } = checkSnippets(root, join(sandbox.folder, "snippets"), read);
  for (const what of wrong) say(`FAILED  ${what}`);
  say(`${checked} programs and data of fences checked, ${wrong.length} failed`);
  counts.failed += wrong.length;
} finally {
  await endOfDocument();
  await sandbox.stop();
}
say(`${counts.ran} ran, ${counts.leftOut} left out, ${counts.failed} failed`);
process.exit(counts.failed === 0 && found.length > 0 ? 0 : 1);
