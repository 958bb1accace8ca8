#!/usr/bin/env node
/*
 * Prints comments and error texts of the tracked sources, chosen at random by a seed, to show how the project writes
 * and how that has changed:
 *
 *   node scripts/sample-sentences.mjs                       20 comments and 10 errors of the working tree
 *   node scripts/sample-sentences.mjs --seed 7 packages/runtime/wire   with another seed, below a folder
 *   node scripts/sample-sentences.mjs --at REV              as many of another revision, in the same files where it has them
 *
 * The draw depends on the seed and on each sentence's file alone, so that both revisions show mostly the same files.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./setup/paths.mjs";

// TypeScript 7 has no interface for programs yet: dependency-cruiser brings the last version that has it.
const ts = createRequire(realpathSync(join(root, "node_modules/dependency-cruiser/package.json")))(
  "typescript",
);

const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    at: { type: "string" },
    seed: { type: "string", default: "1" },
    comments: { type: "string", default: "20" },
    errors: { type: "string", default: "10" },
  },
});

const git = (...args) => execFileSync("git", args, { cwd: root, maxBuffer: 2 ** 28 }).toString();

/** Sources of the revision, or of the working tree: no tests, no generated code. */
function files() {
  const all = values.at === undefined ? git("ls-files") : git("ls-tree", "-r", "--name-only", values.at);
  return all
    .split("\n")
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !/generated|\.test\.|\/testing\/|fixture/.test(file))
    .filter((file) => folders.length === 0 || folders.some((folder) => file.startsWith(folder)));
}

const textOf = (file) =>
  values.at === undefined ? readFileSync(join(root, file), "utf8") : git("show", `${values.at}:${file}`);

/** A comment's text without its marks, on one line. */
const plain = (comment) =>
  comment
    .replace(/^\/\*\*?|\*\/$/g, "")
    .replace(/^\s*(\*|\/\/) ?/gm, "")
    .replace(/\s+/g, " ")
    .trim();

/** The comments of a file and the texts of the errors that it makes, each with its line. */
function sentencesOf(file, source) {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found = { comments: new Map(), errors: new Map() };
  const lineOf = (at) => parsed.getLineAndCharacterOfPosition(at).line + 1;
  const visit = (node) => {
    let line = "";
    for (const { pos, end, kind } of ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []) {
      // Consecutive lines with `//` are one comment.
      const isLine = kind === ts.SyntaxKind.SingleLineCommentTrivia;
      const text = [isLine ? line : "", plain(source.slice(pos, end))].join(" ").trim();
      if (isLine && line !== "") found.comments.delete(lineOf(pos) - 1);
      line = isLine ? text : "";
      if (/[a-z] [a-z]/i.test(text) && !text.startsWith("biome-ignore"))
        found.comments.set(lineOf(pos), text);
    }
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    const maker = isText && ts.findAncestor(node, (one) => ts.isNewExpression(one) || ts.isFunctionLike(one));
    if (
      maker &&
      ts.isNewExpression(maker) &&
      /Error$/.test(maker.expression.getText()) &&
      / \S+ /.test(node.getText())
    )
      found.errors.set(lineOf(node.getStart()), node.getText().slice(1, -1));
    node.getChildren(parsed).forEach(visit);
  };
  visit(parsed);
  return found;
}

/** A number from 0 to 1 that the seed and the words determine. */
const draw = (...words) =>
  createHash("sha256")
    .update([values.seed, ...words].join("\0"))
    .digest()
    .readUInt32BE() /
  2 ** 32;

/** One sentence each of the first files, in the seed's order, that have one of this kind. */
function sample(kind, count) {
  const lines = [];
  for (const file of files().sort((a, b) => draw(kind, a) - draw(kind, b))) {
    if (lines.length === count) break;
    const all = [...sentencesOf(file, textOf(file))[kind]];
    const chosen = all[Math.floor(draw(kind, file, "which") * all.length)];
    if (chosen !== undefined) lines.push(`${file}:${chosen[0]}: ${chosen[1]}`);
  }
  return lines;
}

for (const kind of ["comments", "errors"]) {
  console.log(`${kind} ${values.at === undefined ? "" : `at ${values.at} `}(seed ${values.seed})`);
  for (const line of sample(kind, Number(values[kind]))) console.log(`  ${line}`);
}
