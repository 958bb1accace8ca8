// How each documented command is run by the check. The first rule whose `line` fits (and whose `file`, where it names one) is taken;
// a command without a rule is run as it stands. What stands for something of the reader's own is replaced, what takes long is
// shortened, and what cannot be run here is left out with its reason.

import { existsSync } from "node:fs";

/**
 * @typedef {object} Rule
 * @property {RegExp} line  fits the command
 * @property {RegExp} [file]  fits the document
 * @property {string} [skip]  reason why the command is left out
 * @property {readonly ("shared" | "smollm2" | "npm")[]} [needs]  left out where one is absent
 * @property {readonly (readonly [string | RegExp, string])[]} [replace]  `$NAME` in the new text is a value of the sandbox
 * @property {string} [add]  more flags
 * @property {RegExp} [until]  the command serves: it is stopped when it has said so
 * @property {boolean} [keep]  it is stopped at the end of its document instead, for the commands after it
 * @property {number} [code]  the exit code that the document shows, 0 by default
 * @property {string} [input]  standard input
 * @property {boolean} [checkout]  it is a command of the checkout, not of an installed package
 * @property {{ line: RegExp, add: string, until: RegExp, keep: boolean }} [prints]  a command that it prints, which is run, too
 */

const inTests = (name) => ({ skip: `${name} runs it` });
const small = ["smollm2-135m-instruct", "models/tiny"];
/** The TLS head of a document listens on a port of its own. */
const tlsJoin = {
  replace: [
    [/(head\.example|10\.0\.0\.1):7420/, "$TLS_ADDRESS"],
    [/ --host \S+/, ""],
    ["PALIMPSEST_TOKEN=… ", ""],
    ["TOKEN_FILE=token", "TOKEN_FILE=tls-head/token"],
  ],
};
const tlsHead = {
  replace: [
    [/ --host \S+/, ""],
    [/ --advertise \S+/, ""],
    ["--port 7420", "--port 0"],
  ],
};

/** @type {readonly Rule[]} */
const rules = [
  // What is left out.
  { file: /^examples\//, line: /./, ...inTests("test/examples.test.ts") },
  { file: /^recipes\/templates\/project\//, line: /./, ...inTests("test/packages.test.ts") },
  { line: /^npm (create|init) palimpsest|new project/, ...inTests("test/packages.test.ts") },
  { line: /^npm test$|vitest run test\/simulation$/, skip: "the tests themselves" },
  { line: /^npm run quickstart$|palimpsest quickstart$/, skip: "the sandbox's own run is one, shortened" },
  { line: /setup (-- )?gpu$/, skip: "needs a GPU; --dry-run is run" },
  { line: /--hf-dataset|Qwen\/Qwen/, skip: "needs a model hub" },
  {
    line: /longmemeval|prepare beam|memory-agent-bench/,
    skip: "needs the benchmark's file; the tests of its package run it on our own rows",
  },
  // The page is one of the sandbox's.
  { line: /^curl -s https:/, replace: [[/curl -s https:\S+/, "cat long.html"]], needs: ["smollm2"] },
  {
    line: /\/etc\/palimpsest\//,
    skip: "needs two Redis servers and their password files; test/security.test.ts runs it",
  },
  {
    line: /^python3 examples\/ray/,
    skip: "needs Ray; test/stories/19-ray-guide.test.ts runs it where it is",
  },
  {
    line: /submit …$/,
    replace: [["submit …", "submit recipes/quickstart.yaml -- --steps 1"]],
  },
  { line: /--quotas quotas\.yaml/, add: "--data-dir shared-head", until: /listens on/ },
  { line: /--autoscale autoscale\.yaml/, add: "--data-dir growing-head", until: /listens on/ },
  {
    line: /^npx tsx ask\.ts/,
    ...inTests("test/packages.test.ts"),
  },
  // What npm makes of the names is checked, in a project of their own; it installs them in the stories.
  {
    line: /^npm install .*(\.tgz|tsx)/,
    needs: ["npm"],
    replace: [[/^npm install/, 'cd "$(mktemp -d -p .)" && ln -s ../tarballs . && npm install --dry-run']],
  },
  { line: /^npm init/, needs: ["npm"], replace: [[/^/, 'cd "$(mktemp -d -p .)" && ']] },
  { line: /model convert model\.Q4_1\.gguf/, ...inTests("packages/apps/cli's model-convert test") },
  {
    line: /eval stream --recipe/,
    skip: "needs a run of a writer; packages/learning/evals' tests make its streams",
  },
  { line: /bench\/(learning|linear-cost|toys|two-readers)/, skip: "a bench of many minutes" },

  // Heads, nodes and servers.
  {
    line: /head start --tls/,
    ...tlsHead,
    add: "--data-dir tls-head",
    until: /join a worker .*\n/,
    keep: true,
    prints: {
      line: /^join a worker +(.*)$/m,
      add: "--node-dir tls-hint-node --warm-processes 0",
      until: /joined/,
      keep: true,
    },
  },
  // Its reader has exported the variable of the head with TLS.
  { file: /^README\.md$/, line: /palimpsest train /, add: "--data-dir tls-head --steps 1" },
  {
    file: /^README\.md$/,
    line: /^palimpsest (job submit|status)/,
    replace: [
      ["--follow", "--data-dir tls-head --follow -- --steps 1"],
      [/status$/, "status --data-dir tls-head"],
    ],
  },
  {
    line: /worker join --tls/,
    ...tlsJoin,
    add: "--data-dir tls-head --node-dir tls-node",
    until: /joined/,
    keep: true,
  },
  { line: /PALIMPSEST_TLS=certs\/driver/, replace: [["job submit", "job submit --data-dir tls-head"]] },
  { line: /palimpsest dev -- npx tsx main\.ts/, ...inTests("test/packages.test.ts") },
  { line: /dev -- npx palimpsest train /, add: "--steps 1" },
  { line: /palimpsest dev$/, until: /dashboard/, keep: true },
  { line: /palimpsest dev\b/, until: /dashboard/ },
  { line: /head start$/, add: "--data-dir other-head", until: /listens on/ },
  {
    line: /worker join/,
    replace: [
      ["HOST:PORT", "$ADDRESS"],
      ["join …", "join"],
    ],
    add: "--node-dir other-node-$RANDOM",
    until: /joined/,
    keep: true,
  },
  { line: /palimpsest serve /, add: "--port 0", until: /serves +http/ },
  {
    line: /palimpsest dashboard (RUN_FOLDER…|runs\/quickstart-\*)$/,
    replace: [["RUN_FOLDER…", "RUN"]],
    add: "--port 0",
    until: /http:\/\//,
  },
  { line: /drain node-/, replace: [[/node-[0-9a-f]+/, "$SPARE_NODE"]] },

  // Models that answer. The tiny random one stands for the reader's, so that a minute is not spent on each answer.
  { line: /dashboard export/, replace: [["RUN_FOLDER…", "RUN"]] },
  { line: /ask contracts\.txt/, needs: ["smollm2"] },
  {
    line: /ask .*memory=\{ heads/,
    replace: [
      ["MODEL", "models/tiny"],
      ["memoryTokens=1024", "memoryTokens=40"],
    ],
  },
  {
    line: /ask report\.pdf|model chat/,
    needs: ["smollm2"],
    replace: [["--once", "--max-tokens 8 --once"]],
    input: "/exit\n",
  },
  {
    line: /eval longqa .*--model RUN/,
    skip: "needs a run of SmolLM2; packages/learning/evals' tests of systems make its agent",
  },
  {
    line: /eval longqa .*smollm2-memagent/,
    needs: ["smollm2", "shared"],
    replace: [["--limit 64", "--limit 1"]],
  },
  {
    line: /eval longqa/,
    needs: ["shared"],
    replace: [small, [/--lengths \S+/, "--lengths 2"], [/ --limit \d+/, ""]],
    add: "--limit 1 --systems truncated,rag-bm25",
  },
  {
    line: /eval ruler-hqa/,
    needs: ["shared"],
    replace: [
      ["eval_50.json eval_200.json", "eval_50.json"],
      ["data/ruler-hqa/", ""],
      ["runs/memagent", "models/tiny"],
    ],
    add: "--limit 1 --systems truncated",
  },
  {
    line: /eval locomo/,
    needs: ["shared"],
    // `…` stands for the command before it. Whoever starts it in the background waits for it.
    replace: [
      ["locomo …", "locomo --model models/tiny --input locomo10.json"],
      ["runs/1", "models/tiny"],
      ["memupdate,", ""],
      ["--systems memupdate ", "--systems truncated "],
      [/$/, " --limit 1"],
      [/ &( --limit 1)$/, "$1"],
    ],
  },
  {
    line: /eval ruler /,
    needs: ["shared"],
    replace: [
      ["my-folder", "models/tiny"],
      [/--lengths \S+/, "--lengths 4096"],
      [/ --count \d+/, ""],
      ["MODEL", "models/tiny"],
    ],
    add: "--count 1 --systems truncated",
  },
  {
    line: /data prepare ruler /,
    replace: [
      ["4096 131072", "4096"],
      ["--count 100", "--count 2"],
      ["MODEL", "models/tiny"],
      ["data/ruler", "out/ruler"],
    ],
  },
  { line: /data filter/, replace: [small, ["--max-tokens 128", "--max-tokens 4"]] },
  { line: /train sft --model/, replace: [small, ["--learning-rate", "--epochs 1 --learning-rate"]] },
  { line: /train sft --teacher/, add: "--answer-tokens 64" },
  { line: /data rate/, replace: [["--samples 8", "--samples 1"]] },

  // It says that a prepared file, or the source of one, is missing or changed.
  { line: /--check$/, needs: ["shared"], code: 1 },
  // The sandbox has 2,000 paragraphs.
  { line: /data prepare ruler-hqa/, replace: [["50 200 800 3200", "50 200"]] },
  { line: /submit nightly\.ts/, ...inTests("packages/runtime/head") },

  // Runs.
  { line: /model export .*--step 40/, replace: [["--step 40", "--step $STEP"]] },
  { line: /train replay/, replace: [["--step 8", "--step $STEP"]] },
  // It lists what is missing: where no GPU is, with an error.
  { line: /setup (-- )?gpu --dry-run/, checkout: true, code: existsSync("/proc/driver/nvidia") ? 0 : 1 },
  { line: /^npm run .*--dry-run/, checkout: true },
  { line: /--dry-run/ },
  { line: /job submit \S*entry\.ts/ },
  // The documents export the two variables in a line of its own.
  {
    line: /tsx examples\/(actors|hello|ray)\//,
    replace: [[/^/, "PALIMPSEST_ADDRESS=$ADDRESS PALIMPSEST_TOKEN=$TOKEN "]],
  },
  { line: /job submit main\.ts/, needs: ["npm"], replace: [[/^/, "cd job && "]] },
  { line: /job submit .*-- --seed/, replace: [["small.yaml", "recipe.yaml"]], add: "--steps 1" },
  { line: /train /, add: "--steps 1" },

  // Data.
  {
    line: /model check --model smollm2/,
    needs: ["shared", "smollm2"],
    replace: [["FOLDER", "SMOLLM2_REFERENCE"]],
  },
  { line: /data\/|golden\.json|_free\.json|dev_|FOLDER/, needs: ["shared"] },
  { line: /status --data-dir …/, replace: [["…/head", "state/head"]] },
];

/** @returns {Rule} */
export function ruleOf({ file, line }) {
  return rules.find((rule) => rule.line.test(line) && (rule.file?.test(file) ?? true)) ?? { line: /./ };
}
