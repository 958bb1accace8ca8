// The small files of the reader's own that documents name, and links to data: what a sandbox has before the first command.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pdfOf } from "../../packages/apps/cli/dist/documents/testing.js";

const lines = (...rows) =>
  rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join("");

const chatTemplate =
  "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

const written = {
  "long.html": "<html><body><h1>Minutes</h1><p>It was decided to buy the mill.</p></body></html>\n",
  "notes.txt": lines("sam likes milk.", "mia likes wine.", "rain and wind."),
  "notes/a.md": "The contract was signed by Cora.\n",
  "docs/queue.md": "The setting queue.maxBytes bounds the queue.\n",
  "corpus/a.txt": lines(
    ...Array.from(
      { length: 400 },
      (_, row) => `the ${row}th line names three fruits: apples, figs and plums.`,
    ),
  ),
  "data.jsonl": lines(
    { frage: "Wer?", antwort: ["Cora"], text: "Cora war es." },
    { frage: "Wer?", text: "x" },
    "not json",
  ),
  "train.jsonl": lines({
    id: "t1",
    question: "Who signed?",
    answers: ["Cora"],
    document: "The contract was signed by Cora.",
  }),
  "prompts.jsonl": lines({ prompt: "Name three fruits." }),
  "answers.jsonl": lines(
    ...["apples", "figs"].map((fruit) => ({
      messages: [
        { role: "user", content: "Name a fruit." },
        { role: "assistant", content: fruit },
      ],
    })),
  ),
  "predictions.jsonl": lines(
    { prediction: "Cora", answers: ["Cora"] },
    { prediction: "it was Amos", answers: ["Amos"] },
  ),
  "job/main.ts": 'process.stdout.write("a job\\n");\n',
  "job/package.json": '{ "name": "job", "private": true, "type": "module" }\n',
  "job/package-lock.json":
    '{ "name": "job", "lockfileVersion": 3, "requires": true, "packages": { "": { "name": "job" } } }\n',
};

/** The first fence of a document in this language that contains the text. */
function fence(root, file, language, containing) {
  const text = readFileSync(join(root, file), "utf8");
  const all = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, code]) => code,
  );
  const found = all.find((code) => code.includes(containing));
  if (found === undefined)
    throw new Error(`${file} has no ${language} fence with ${JSON.stringify(containing)}`);
  return found;
}

/** Recipes keep their shapes; they take fewer groups and ask fewer questions. */
const shortened = (recipe) =>
  recipe
    .replace(/steps: \d+/, "steps: 2")
    .replace(/groupsPerStep: \d+/, "groupsPerStep: 4")
    .replace(/count: \d+/, "count: 32")
    .replaceAll(/^( +)tasks: \d+/gm, "$1tasks: 4")
    .replaceAll(/^( +)lengths: \[.*\]/gm, "$1lengths: [1]");

function put(folder, name, content) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
}

function linkAll(from, to) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from))
    if (!existsSync(join(to, name))) symlinkSync(join(from, name), join(to, name));
}

/**
 * Writes them.
 * @param {string} root the checkout
 * @param {string} folder the sandbox
 * @param {string | undefined} shared data sets and golden values beside the checkout
 */
export function layOut(root, folder, shared) {
  for (const name of ["recipes", "examples"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const [name, content] of Object.entries(written)) put(folder, name, content);
  put(folder, "report.pdf", pdfOf([["The second contract was signed by Cora."]]));
  const quickstart = shortened(readFileSync(join(root, "recipes/quickstart.yaml"), "utf8"));
  put(folder, "recipe.yaml", quickstart);
  put(folder, "recipes/quickstart.yaml", quickstart);
  const lookBack = "recipes/rememr1/look-back.yaml";
  put(folder, lookBack, shortened(readFileSync(join(root, lookBack), "utf8")));
  put(folder, "contracts.txt", fence(root, "docs/tutorials/ask.md", "text", "contract"));
  put(folder, "facts.txt", fence(root, "docs/tutorials/agent.md", "text", "bob"));
  put(folder, "autoscale.yaml", fence(root, "docs/guides/autoscaling.md", "yaml", "kind: local"));
  put(folder, "quotas.yaml", fence(root, "docs/operations.md", "yaml", "namespaces:"));
  put(folder, "small.yaml", shortened(fence(root, "docs/guides/training.md", "yaml", "name: small")));
  if (shared === undefined) return;
  linkAll(join(shared, "data"), join(folder, "data"));
  const link = (from, to) => symlinkSync(join(shared, from), join(folder, to));
  link("fixtures/hf-parity/llama", "FOLDER");
  link("fixtures/smollm2", "SMOLLM2_REFERENCE");
  link("fixtures/losses/golden.json", "golden.json");
  link("fixtures/scoring/locomo_f1_free.json", "locomo_f1_free.json");
  link("data/hotpotqa/dev_200.json", "hotpot_dev_distractor_v1.json");
  link("data/hotpotqa/dev_200.json", "dev_100_199.json");
  link("data/hotpotqa/dev_200.json", "hotpot.json");
  link("data/squad/xquad.en.json", "squad.json");
  link("data/memagent/eval_50.8.json", "eval_50.json");
  // One of the conversations: the documents' commands are the same with it.
  const [conversation] = JSON.parse(readFileSync(join(shared, "data/locomo/locomo10.json"), "utf8"));
  put(folder, "locomo10.json", JSON.stringify([conversation]));
}

/** A model of `model init` has no chat template of its own. */
export function giveChatTemplate(model) {
  const path = join(model, "tokenizer_config.json");
  const config = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  writeFileSync(path, JSON.stringify({ ...config, chat_template: chatTemplate }));
}
