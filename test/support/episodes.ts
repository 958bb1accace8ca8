/** Episodes in Portuguese, Chinese and Arabic, and what the command and the library say of them. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readTraces, type Trace, traceHtml, writeTraces } from "@palimpsest/evals";
import { factLanes } from "@palimpsest/evals/microscope";
import { expect } from "vitest";
import { ReadingServer } from "../../packages/apps/cli/src/ask/testing.js";
import { Command } from "./command.js";

/** An installed command fetches nothing for these tests. */
const quiet = { PALIMPSEST_SETUP: "off" };

interface Text {
  readonly question: string;
  /** A word of the sentence that the model keeps. */
  readonly keeps: string;
  readonly sentence: string;
  /** What the question needs, in other words than those of the document. */
  readonly fact: string;
  readonly others: readonly string[];
}

export const texts: Readonly<Record<string, Text>> = {
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
export async function asked(
  folder: string,
  { question, keeps, sentence, others }: Text,
  trace: string,
  program?: readonly string[],
): Promise<void> {
  const server = await ReadingServer.start(keeps);
  try {
    const document = join(folder, "document.txt");
    await writeFile(document, [others[0], sentence, others[1]].join("\n"));
    const args = ["ask", document, "-q", question, "--endpoint", server.url, "--trace", trace, "--json"];
    const { code, stdout, stderr } = await Command.start(args, {
      cwd: folder,
      environment: quiet,
      ...(program ? { program } : {}),
    }).ended;
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ memory: sentence });
  } finally {
    await server.stop();
  }
}

/**
 * Lets a command read and show the episodes, and compares its pages with those of the library.
 * @param folder an empty folder, which need not exist
 * @param program what node runs as the command; the one of the checkout by default
 */
export async function checkEpisodes(folder: string, program?: readonly string[]): Promise<void> {
  const traces = await Promise.all(
    Object.entries(texts).map(async ([language, text]): Promise<Trace> => {
      const own = join(folder, language);
      await mkdir(own, { recursive: true });
      await asked(own, text, join(own, "asked.jsonl"), program);
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
  const { stdout } = await Command.start(args, {
    cwd: folder,
    environment: quiet,
    ...(program ? { program } : {}),
  }).ended;
  expect(stdout).toBe(traceHtml(traces, { title: "São Paulo – 北京" }));
}
