import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTraces } from "@palimpsest/evals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { type Fault, proseWith, ReadingServer } from "../../ask/testing.js";
import { pdfOf } from "../../documents/testing.js";
import { CommandRun } from "../testing.js";
import { addTrace } from "../training/trace.js";
import { addAsk } from "./ask.js";

let folder: string;
const cli = new CommandRun(addAsk, addTrace);
const servers: ReadingServer[] = [];
beforeEach(() => {
  folder = testFolder();
  cli.begin();
  vi.stubEnv("OPENAI_API_KEY", "");
});
afterEach(async () => {
  cli.end();
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) await server.stop();
});

async function aServer(faults?: (request: number) => Fault): Promise<ReadingServer> {
  const server = await ReadingServer.start("harbour master", faults);
  servers.push(server);
  return server;
}

const palimpsest = (...words: string[]) => cli.run(...words);

function put(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const facts = [
  "The harbour master was called Amos.",
  "Later the harbour master was called Berta.",
  "At the end the harbour master was called Cora.",
];
const question = "What was the last harbour master called?";

describe("palimpsest ask", () => {
  it("answers over a document of 1 MB, through cut connections and malformed replies, which it reports", async () => {
    const faults: Readonly<Record<number, Fault>> = {
      0: "cut",
      3: "malformed",
      4: "half",
      9: "busy",
      15: "empty",
      20: "malformed",
    };
    const server = await aServer((request) => faults[request] ?? "good");
    const document = put("long.txt", proseWith(facts, 1_000_000));
    const trace = join(folder, "trace.jsonl");
    await palimpsest("ask", document, "-q", question, "--endpoint", server.url, "--json", "--trace", trace);
    const report = JSON.parse(cli.stdout);
    expect(report).toMatchObject({
      boxed: "Cora",
      memory: facts.join("\n"),
      model: `reader at ${server.url}`,
      document: { sources: [document], droppedTokens: 0 },
      agent: { kind: "memagent", preset: "memagent" },
      resumedAtToken: 0,
      trace,
    });
    expect(report.document.characters).toBeGreaterThan(950_000);
    // The first cut is that of a connection that was kept, which is replaced in silence.
    expect(report.retries.map(({ code }: { code: string }) => code)).toEqual([
      "BAD_REPLY",
      "UNREACHABLE",
      "OVERLOADED",
      "BAD_REPLY",
      "BAD_REPLY",
    ]);
    expect(cli.stderr).toMatch(
      /retrying (at once|in \d+ s): attempt 1 failed: \[BAD_REPLY\] .*JSON that does not parse/,
    );
    expect(cli.stderr).toMatch(
      /\[ \d\d %\] step \d+, \d+ tokens read; memory: The harbour master was called Amos\./,
    );
    expect(cli.stderr).toMatch(/5 requests retried\nwrote \S+trace\.jsonl\n$/);
    expect(server.requests).toBe(server.answered + 6);
    const [first, ...more] = await tracesOf(trace);
    expect(more).toEqual([]);
    expect(first?.memorySteps).toHaveLength(server.answered - 1);
    expect(first?.memorySteps.map(({ section }) => section).join("")).toBe(readFileSync(document, "utf8"));
  });

  it("prints the answer alone on standard output, and writes a page of every step", async () => {
    const server = await aServer();
    const page = join(folder, "trace.html");
    put("docs/b.pdf", pdfOf([[facts[1] as string]]));
    put(
      "docs/a.html",
      `<h1>One</h1><p>${proseWith([facts[0] as string], 2000)}</p><script>harbour master</script>`,
    );
    put("docs/c.md", `# Three\n\n${proseWith([facts[2] as string], 2000)}\n`);
    put("docs/d.bin", Uint8Array.from([0, 1, 2]));
    await palimpsest(
      "ask",
      join(folder, "docs"),
      "-q",
      question,
      "--endpoint",
      server.url,
      "--model",
      "reader",
      "--agent",
      "rememr1",
      "--set",
      "chunkTokens=150",
      "memoryTokens=300",
      "--trace",
      page,
    );
    expect(cli.stdout).toBe("The answer is Cora.\n");
    expect(cli.stderr).toContain("skipped d.bin: is a binary file");
    expect(cli.stderr).toContain("; recalled: ");
    const html = readFileSync(page, "utf8");
    expect(html).toContain(question);
    expect(html).toMatch(/recalled for this step/);
    expect(html).not.toMatch(/ src=| href=/);
  });

  it("fails where the model answers with nothing, and keeps the position: only the question is asked again", async () => {
    const server = await aServer((request) => (request === 1 || request === 2 ? "silent" : "good"));
    const document = put("a.txt", proseWith(facts, 2000));
    const resume = join(folder, "position.json");
    const page = join(folder, "trace.html");
    const asked = ["ask", document, "-q", question, "--endpoint", server.url, "--resume", resume];
    await expect(palimpsest(...asked, "--trace", page)).rejects.toThrow(
      /the model's answer is empty; ask again/,
    );
    expect(cli.stdout).toBe("");
    expect(readFileSync(page, "utf8")).toContain(question);
    await expect(palimpsest(...asked, "--json")).rejects.toThrow(/the model's answer is empty/);
    expect(await palimpsest(...asked)).toBe("The answer is Cora.\n");
    expect(server.requests).toBe(4);
    expect(existsSync(resume)).toBe(false);
  });

  it("samples as it is told, greedily by default, and reports it", async () => {
    const server = await aServer();
    const document = put("a.txt", facts.join(" "));
    const sampled = async (...more: string[]) => {
      const asked = ["ask", document, "-q", question, "--endpoint", server.url, "--json", ...more];
      const { temperature } = JSON.parse(await palimpsest(...asked)).agent.config;
      expect(server.bodies.at(-1)).toMatchObject({ temperature });
      return temperature;
    };
    expect(await sampled()).toBe(0);
    expect(await sampled("--temperature", "0.5")).toBe(0.5);
    expect(await sampled("--set", "temperature=0.25")).toBe(0.25);
    expect(server.bodies.at(-1)).toMatchObject({ chat_template_kwargs: { enable_thinking: false } });
    await sampled("--set", "enableThinking=true");
    expect(server.bodies.at(-1)).toMatchObject({ chat_template_kwargs: { enable_thinking: true } });
  });

  it("turns kept trajectories into one page", async () => {
    const server = await aServer();
    const document = put("a.txt", facts.join(" "));
    const kept = join(folder, "kept.jsonl");
    for (const asked of ["who?", "when?"]) {
      await palimpsest("ask", document, "-q", asked, "--endpoint", server.url, "--trace", kept);
    }
    await palimpsest("trace", "view", kept);
    expect(cli.stderr).toContain("kept.html: 2 trajectories");
    const page = readFileSync(join(folder, "kept.html"), "utf8");
    expect(page).toContain("who?");
    expect(page).toContain("when?");
    await palimpsest("trace", "view", kept, "--format", "markdown", "--limit", "1", "--out", "-");
    expect(cli.stdout).toContain("**Question:** who?");
    expect(cli.stdout).not.toContain("when?");
    await expect(palimpsest("trace", "view", put("none.jsonl", ""))).rejects.toThrow(/contains no trace/);
    await expect(palimpsest("trace", "view", put("bad.jsonl", "{}\n{}\n"))).rejects.toThrow(
      /bad\.jsonl, line 1/,
    );
  });

  it("names the field, the value and the fix of what cannot be", async () => {
    const server = await aServer((request) => (request > 2 ? "cut" : "good"));
    const document = put("a.txt", proseWith(facts, 200_000));
    const asking = (...more: string[]) =>
      palimpsest("ask", document, "-q", question, "--endpoint", server.url, ...more);
    await expect(palimpsest("ask", join(folder, "none"), "-q", "x")).rejects.toThrow(
      /none: does not exist; give a file/,
    );
    await expect(asking("--set", "chunkTokens")).rejects.toThrow(/--set chunkTokens: is not NAME=VALUE/);
    await expect(asking("--set", "chunks=1")).rejects.toThrow(/agent settings: .*chunks/);
    await expect(asking("--trace", "x.txt")).rejects.toThrow(/--trace x\.txt: name a file that ends in/);
    await expect(asking("--max-size", "0.1")).rejects.toThrow(
      /a\.txt: 0\.2 MiB exceed the 0\.1 MiB of --max-size;/,
    );
    await expect(asking("--set", "maxChunks=2")).rejects.toThrow(
      /\[DOCUMENT_OVERFLOW\].*set overflow to head/,
    );
    await expect(palimpsest("ask", document, "-q", question, "--endpoint", "localhost:8000")).rejects.toThrow(
      /--endpoint: must be the URL of a server, such as http:.*; it is "localhost:8000"/,
    );
    await expect(asking("--attempts", "2")).rejects.toThrow(/\[UNREACHABLE\].*\(the last of 2 attempts\)/);
    await expect(palimpsest("ask", document, "-q", " ")).rejects.toThrow(/--question: is empty/);
    const gone = await aServer();
    const { url } = gone;
    await servers.pop()?.stop();
    await expect(
      palimpsest("ask", document, "-q", question, "--endpoint", url, "--attempts", "1"),
    ).rejects.toThrow(/\[UNREACHABLE\] .*check that the server runs at this URL/);
  });
});

async function tracesOf(path: string) {
  const traces = [];
  for await (const trace of readTraces(path)) traces.push(trace);
  return traces;
}
