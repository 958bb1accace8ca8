// The words of this project: those that are written another way here, in code, comments, messages and documents.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup/paths.mjs";

/** What is not written, and what is: the terms of Ray, PyTorch, vLLM and verl, and American spelling. */
export const words = [
  [/\bmend(s|ed|ing)?\b/i, "fix"],
  [/\bcontestants?\b/i, "system, or baseline"],
  [/\bhabits?\b/i, "scripted policy, or demonstrations"],
  [/\bcrews?\b/i, "the run's actors"],
  [/\bseekers?\b/i, "request"],
  [/\bstretch(es)?\b/i, "segment"],
  [/weighed down to/i, "narrowed to"],
  [/\btold apart\b/i, "distinguished"],
  [/\bturn-?pairs\b/i, "rotatePairs"],
  [/\bone a (machine|node|host|file|row|token|request|layer)\b/i, "one per …"],
  [/\bonce a (second|minute|step|call|run|chunk)\b/i, "once per …"],
  [/\b(tokens|calls|bytes|episodes|requests|updates) a (second|minute|step)\b/i, "… per …"],
  [
    /\b(nats|µs|seconds|milliseconds|kernels|batches|texts|operations|micro-batches|episodes) an? (token|call|step|second|hour)\b/i,
    "… per …",
  ],
  [/\bone a (conversation|question|sampled token|line|text|column)\b/i, "one per …"],
  [/\bis no JSON\b/i, "is not JSON"],
  [/\bfor ever\b/i, "forever"],
  [/(?<!\.)\bset-up\b/i, "setup"],
  [/\bnot looked at\b/i, "ignored, or not read"],
  [/\bhanded on\b/i, "passed on"],
  [/\b(Non-job|Not its job): /, "Not responsible for: "],
  [
    /(optimis|normalis|tokenis|penalis|quantis|initialis|serialis|summaris|maximis|minimis)(e|ing|ation)/i,
    "-ize",
  ],
  [/colour|behaviour|neighbour|honour/i, "-or"],
  [
    /\b(?<!A_prime\()(centre|centred|catalogue|labelled|travelled|misspelt|licence|organisation)/i,
    "the American spelling",
  ],
];

/** This list itself, what tools write, and where a former name is refused with the one that took its place. */
const leftOut =
  /^scripts\/words\.mjs|generated|former-names\.ts|eval\/eval-flags\.ts|evals\/src\/systems\/(eval-settings|systems\.test)\.ts|base-recipe-file\.test\.ts/;

const files = () =>
  execFileSync("git", ["ls-files", "-z", "*.ts", "*.tsx", "*.mjs", "*.md", "*.yaml", "*.proto"], {
    cwd: root,
  })
    .toString()
    .split("\0")
    .filter((file) => file !== "" && !leftOut.test(file));

/** @returns a line for each use of a word that is written another way */
export function wordProblems() {
  return files().flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    // Few files have any: whole texts are searched first, which takes a tenth of the time of their lines.
    const here = words.filter(([word]) => word.test(text));
    if (here.length === 0) return [];
    return text.split("\n").flatMap((line, i) =>
      here.flatMap(([word, better]) => {
        const found = word.exec(line);
        return found === null ? [] : [`${file}:${i + 1}: "${found[0]}": write ${better}`];
      }),
    );
  });
}
