/** Evaluations of a served model: what their flags choose is what the server is asked. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { trainBpe } from "@palimpsest/model";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { answerChat, startChatServer, stopServer } from "../../../../../../test/stories/chat-server.js";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { CommandRun } from "../testing.js";
import { addEval } from "./eval.js";

const run = new CommandRun(addEval);
beforeEach(() => run.begin());
afterEach(() => run.end());

async function serving(): Promise<{
  readonly url: string;
  readonly asked: { model: string; text: string }[];
}> {
  const asked: { model: string; text: string }[] = [];
  const server = await startChatServer((body, response) => {
    const { model, messages } = JSON.parse(body) as { model: string; messages: object[] };
    asked.push({ model, text: JSON.stringify(messages) });
    answerChat(response, model === "the-judge" ? "VERDICT: CORRECT" : "\\boxed{Ben}");
  });
  onTestFinished(() => stopServer(server));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const reportIn = (out: string) => readFileSync(join(out, "report.json"), "utf8");

test("eval locomo asks the split's questions from the named records, and the named judge", async () => {
  const { url, asked } = await serving();
  const conversation = (id: string, speaker: string) => ({
    sample_id: id,
    conversation: {
      speaker_a: "Ann",
      speaker_b: speaker,
      session_1_date_time: "1:56 pm on 8 May, 2023",
      session_1: [{ speaker, dia_id: "D1:1", text: `${speaker} has moved to Oslo.` }],
    },
    observation: { session_1_observation: { [speaker]: [["This is observed.", "D1:1"]] } },
    event_summary: { events_session_1: { Ann: [], [speaker]: ["This is an event."], date: "8 May, 2023" } },
    session_summary: {},
    qa: [
      { question: `Who moved, ${speaker}?`, answer: speaker, evidence: ["D1:1"], category: 4 },
      { question: `Did Ann move, ${speaker}?`, adversarial_answer: "Yes", evidence: ["D1:1"], category: 5 },
    ],
  });
  const folder = testFolder();
  const input = join(folder, "locomo10.json");
  writeFileSync(input, JSON.stringify([conversation("conv-1", "Ben"), conversation("conv-26", "Carl")]));
  const locomo = async (out: string, ...flags: string[]) => {
    asked.length = 0;
    const served = ["--endpoint", url, "--model", "m", "--systems", "rag-bm25"];
    await run.run("eval", "locomo", "--input", input, ...served, "--out", join(folder, out), ...flags);
    return asked.map(({ text }) => text).join("\n");
  };
  const held = await locomo("held");
  expect(held).toContain("Who moved, Carl?");
  // Adversarial questions are asked unless they are left out.
  expect(held).toContain("Did Ann move, Carl?");
  expect(held).toContain("This is observed.");
  expect(held).not.toMatch(/Ben|This is an event/);
  writeFileSync(join(folder, "wrong.txt"), "conv-26-q0\n");
  const wrong = ["--wrong-answers", join(folder, "wrong.txt")];
  expect(await locomo("wrong", "--no-adversarial", ...wrong, "--split", "all")).not.toContain("Did Ann move");
  expect(JSON.parse(reportIn(join(folder, "wrong")))).toMatchObject({
    sections: [{ title: "Without known wrong answers", data: [{ n: 1 }] }],
  });
  const judge = ["--judge", url, "--judge-model", "the-judge"];
  const trained = await locomo("train", "--split", "train", "--records", "event", "--adversarial", ...judge);
  expect(trained).toContain("Did Ann move, Ben?");
  expect(trained).toContain("This is an event.");
  expect(trained).not.toMatch(/Carl|This is observed/);
  expect(new Set(asked.map(({ model }) => model))).toEqual(new Set(["m", "the-judge"]));
  expect(reportIn(join(folder, "train"))).toContain('"split": "train"');
});

test("eval ruler counts lengths with the named model's tokenizer", async () => {
  const { url } = await serving();
  const folder = testFolder();
  const { json, configJson } = trainBpe(["a text"], { vocabSize: 256, specialTokens: [], alphabet: "bytes" });
  mkdirSync(join(folder, "bytes"));
  writeFileSync(join(folder, "bytes/tokenizer.json"), JSON.stringify(json));
  writeFileSync(join(folder, "bytes/tokenizer_config.json"), JSON.stringify(configJson));
  const out = join(folder, "out");
  const ruler = (...flags: string[]) =>
    run.run(
      ...["eval", "ruler", "--tasks", "niah_single_1", "--lengths", "8192", "--count", "1", "--out", out],
      ...["--endpoint", url, "--model", "m", "--systems", "closed-book", ...flags],
    );
  await ruler("--count-with", join(folder, "bytes"));
  expect(reportIn(out)).toContain('"lengths counted with": "bytes"');
});
