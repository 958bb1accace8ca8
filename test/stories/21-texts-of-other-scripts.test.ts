/**
 * Tests that the command says of Portuguese, Chinese and Arabic texts what the library says of them: users run the bundle
 * of the command, and the other tests the modules that it is made of.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readTraces, type Trace, traceHtml, writeTraces } from "@palimpsest/evals";
import { factLanes } from "@palimpsest/evals/microscope";
import { expect, test } from "vitest";
import { ReadingServer } from "../../packages/cli/src/ask/testing.js";
import { bundledProgram } from "../../packages/cli/src/bundled-programs.js";
import { Command } from "../support/command.js";
import { testFolder } from "../support/temporary-folder.js";

interface Text {
  readonly question: string;
  /** A word of the sentence that the model keeps. */
  readonly keeps: string;
  readonly sentence: string;
  /** What the question needs, in other words than those of the document. */
  readonly fact: string;
  readonly others: readonly string[];
}

const texts: Readonly<Record<string, Text>> = {
  portuguese: {
    question: "O que João comprou na estação?",
    keeps: "limão",
    sentence: "Na estação, limão e pão: João comprou.",
    fact: "João comprou limão e pão na estação.",
    others: ["A manhã estava fria em São Paulo.", "O avô não foi à vila."],
  },
  chinese: {
    question: "李明在北京喝什么？",
    keeps: "李明",
    sentence: "在北京，李明喝绿茶。",
    fact: "李明在北京喝绿茶。",
    others: ["早上的港口很安静。", "船停在灰色的水上！"],
  },
  arabic: {
    question: "ماذا اشترى يوسف في المحطة؟",
    keeps: "يوسف",
    sentence: "في المحطة، يوسف اشترى الليمون والخبز.",
    fact: "اشترى يوسف الليمون والخبز في المحطة.",
    others: ["كان الصباح هادئا في الميناء.", "لم يذهب الجد إلى القرية."],
  },
};

/** Lets the command read the text, and write what it did to `trace`. */
async function asked(
  folder: string,
  { question, keeps, sentence, others }: Text,
  trace: string,
): Promise<void> {
  const server = await ReadingServer.start(keeps);
  try {
    const document = join(folder, "document.txt");
    await writeFile(document, [others[0], sentence, others[1]].join("\n"));
    const args = ["ask", document, "-q", question, "--endpoint", server.url, "--trace", trace, "--json"];
    const { code, stdout, stderr } = await Command.start(args, { cwd: folder, environment: {} }).ended;
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ memory: sentence });
  } finally {
    await server.stop();
  }
}

test("this is the bundle that users run", () => {
  expect(bundledProgram("commands"), "it is stale: npm run setup").toBeDefined();
});

test("ask --trace and trace view agree with the library", async () => {
  const folder = testFolder();
  const traces = await Promise.all(
    Object.entries(texts).map(async ([language, text]): Promise<Trace> => {
      const own = join(folder, language);
      await mkdir(own);
      await asked(own, text, join(own, "asked.jsonl"));
      for await (const trace of readTraces(join(own, "asked.jsonl"))) {
        const needing = { ...trace, task: { ...trace.task, metadata: { evidence: text.fact } } };
        const [lane] = factLanes(needing);
        expect(lane, language).toMatchObject({ end: "kept", steps: [{ memory: "rephrased" }] });
        return needing;
      }
      throw new Error(`${language}: no trace was written`);
    }),
  );
  const file = join(folder, "traces.jsonl");
  await writeTraces(file, traces);
  const args = ["trace", "view", file, "--title", "São Paulo – 北京", "--out", "-"];
  const { stdout } = await Command.start(args, { cwd: folder, environment: {} }).ended;
  expect(stdout).toBe(traceHtml(traces, { title: "São Paulo – 北京" }));
}, 120_000);

test("the page of ask --trace has the signs of its own texts", async () => {
  const folder = testFolder();
  const page = join(folder, "steps.html");
  const { portuguese } = texts;
  if (portuguese === undefined) throw new Error("there is no such text");
  await asked(folder, portuguese, page);
  const html = await readFile(page, "utf8");
  expect(html).toMatch(/>memagent · not scored · \d+ steps · \d+ tokens · /);
  expect(html).toContain(portuguese.sentence);
}, 120_000);
