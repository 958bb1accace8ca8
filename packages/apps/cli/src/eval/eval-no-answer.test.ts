/** An evaluation whose server withholds an answer counts it as failed, with the reason, and asks again on the next run. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Command } from "commander";
import { expect, it, onTestFinished, vi } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { addEval } from "../commands/eval/eval.js";

it("counts a reply without an answer as failed, not as empty, and asks for it again", async () => {
  let withholds = true;
  let asked = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      if (request.method === "GET") return void response.end(JSON.stringify({ data: [{ id: "m" }] }));
      asked++;
      const filtered = withholds && body.includes("second question");
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          choices: [
            {
              message: { role: "assistant", content: filtered ? "" : "\\boxed{Ben}" },
              finish_reason: filtered ? "content_filter" : "stop",
            },
          ],
        }),
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const folder = testFolder();
  const input = join(folder, "questions.jsonl");
  const rows = ["first", "second", "third"].map((which) => ({
    id: which,
    question: `The ${which} question: who moved?`,
    answers: ["Ben"],
    document: "Ben moved.",
  }));
  writeFileSync(input, rows.map((row) => JSON.stringify(row)).join("\n"));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const run = async () => {
    const out: string[] = [];
    const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => out.push(String(text)) > 0);
    const quiet = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
    const program = new Command();
    addEval(program);
    const flags = ["--input", input, "--endpoint", url, "--model", "m", "--systems", "full-context"];
    try {
      await program.parseAsync([
        "node",
        "p",
        "eval",
        "longqa",
        ...flags,
        "--timeout",
        "60",
        "--out",
        join(folder, "out"),
        "--json",
      ]);
    } finally {
      write.mockRestore();
      quiet.mockRestore();
    }
    return out.join("");
  };
  const first = await run();
  expect(first).toContain("NO_ANSWER");
  const kept = readFileSync(join(folder, "out", "predictions.jsonl"), "utf8")
    .trim()
    .split("\n");
  expect(kept.filter((line) => line.includes('"second"') && !line.includes("NO_ANSWER"))).toEqual([]);
  expect(asked).toBe(3);
  withholds = false;
  expect(await run()).not.toContain("NO_ANSWER");
  expect(asked).toBe(4);
});
