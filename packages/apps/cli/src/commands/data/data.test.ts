import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { loadTasks, saveTasks } from "@palimpsest/datasets";
import { sha256Of } from "@palimpsest/std";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fileFolder } from "../../../../../../test/support/temporary-folder.js";
import { CommandRun } from "../testing.js";
import { addData } from "./data.js";

const folder = fileFolder();
const cli = new CommandRun(addData);
beforeEach(() => cli.begin());
afterEach(() => cli.end());
const data = (...words: string[]) => cli.run("data", ...words);

const source = join(folder, "source.json");
writeFileSync(
  source,
  JSON.stringify(
    [0, 1, 2, 3].map((i) => ({
      _id: `id-${i}`,
      question: `question ${i}?`,
      answer: `answer${i}`,
      supporting_facts: [[`A${i}`, 0]],
      context: [
        [`A${i}`, [`it is answer${i}`]],
        [`B${i}`, ["something"]],
      ],
      type: i % 2 === 0 ? "bridge" : "comparison",
    })),
  ),
);
const prepared = join(folder, "prepared.jsonl");

describe("data", () => {
  it("prepares with a flag for each option, and checks what it made", async () => {
    const text = await data(
      "prepare",
      "hotpotqa",
      "--input",
      source,
      "--out",
      prepared,
      "--docs",
      "4",
      "--seed",
      "abc",
    );
    expect(text).toContain(`${prepared}  4 tasks`);
    expect(text).toContain("manifest: ");
    const manifest = JSON.parse(readFileSync(`${prepared}.manifest.json`, "utf8"));
    expect(manifest).toMatchObject({ options: { docs: 4, answerFree: false }, seed: "abc", tasks: 4 });
    expect(await data("check", prepared)).toMatch(/right +tasks +4 /);
    expect(process.exitCode).toBeUndefined();
    const again = await data(
      "prepare",
      "hotpotqa",
      "--input",
      source,
      "--out",
      prepared,
      "--docs",
      "4",
      "--seed",
      "abc",
      "--json",
    );
    expect(JSON.parse(again)).toEqual(manifest);
  });

  it("splits lists of lengths, and names what a folder lacks", async () => {
    const out = join(folder, "hqa");
    await data(
      "prepare",
      "ruler-hqa",
      "--input",
      source,
      "--lengths",
      "3 5",
      "7",
      "--limit",
      "2",
      "--out",
      out,
      "--format",
      "eval",
    );
    expect(
      await data("prepare", "ruler-hqa", "--lengths", "3 5 7", "--format", "eval", "--out", out, "--check"),
    ).toContain("\nright");
    const lacking = await data(
      "prepare",
      "ruler-hqa",
      "--lengths",
      "3 50",
      "--format",
      "eval",
      "--out",
      out,
      "--check",
    );
    expect(lacking).toMatch(/missing +tasks +.*eval_50\.json/);
    expect(process.exitCode).toBe(1);
  });

  it("refuses flags that mean nothing, in words", async () => {
    const out = join(folder, "x.jsonl");
    await expect(data("prepare", "hotpotqa", "--out", out, "--docs", "many")).rejects.toThrow(
      '"many" is not a number',
    );
    await expect(data("prepare", "hotpotqa", "--out", out, "--limit", "0")).rejects.toThrow("≥ 1");
    await expect(data("prepare", "hotpotqa", "--out", out)).rejects.toThrow(
      "input: hotpotqa is read from files",
    );
    await expect(data("prepare", "hotpotqa", "--out", out, "--hf-split", "train")).rejects.toThrow(
      "--hf-dataset is missing",
    );
    await expect(data("prepare", "hotpotqa", "--out", out, "--hf-dataset", "nothing")).rejects.toThrow(
      "is not ORGANIZATION/NAME",
    );
  });

  it("counts tasks, lengths, answers and places", async () => {
    const text = await data("stats", prepared);
    expect(text).toContain("4 tasks, 0 bad rows");
    expect(text).toContain("answers: 0 yes or no, 4 occur in their document");
    expect(text).toContain("type: bridge 2, comparison 2");
    expect(text).toContain("evidence: 4 documents");
    const json = JSON.parse(await data("stats", prepared, "--json"));
    expect(json).toMatchObject({ tasks: 4, groups: { numDocs: { 4: 4 } }, goldPlaces: { documents: 4 } });
    expect(text).not.toContain("only of articles");
    const choices = join(folder, "choices.jsonl");
    const task = { id: "a", question: "q?", answers: ["A", "+", "B"], document: "x y", metadata: {} };
    writeFileSync(choices, `${JSON.stringify(task)}\n`);
    expect(await data("stats", choices)).toContain(", 2 only of articles or punctuation");
  });

  it("says which rows are bad, and takes a file without a task for a mistake", async () => {
    const path = join(folder, "partly.jsonl");
    const task = { id: "a", question: "q?", answers: ["x"], document: "x y", metadata: {} };
    writeFileSync(path, `${JSON.stringify(task)}\nno json\n`);
    expect(await data("stats", path)).toContain("bad rows: 1 not-json, the first partly.jsonl row 2: ");
    await expect(data("stats", source)).rejects.toThrow(/no tasks: bad rows: 4 .*data prepare/);
    const empty = join(folder, "empty.jsonl");
    writeFileSync(empty, "");
    await expect(data("stats", empty)).rejects.toThrow("no tasks: they contain no rows");
    await expect(data("filter", empty, "--out", join(folder, "kept.jsonl"))).rejects.toThrow(
      "contains no task",
    );
  });

  it("shows texts of others without what steers a terminal", async () => {
    const path = join(folder, "steering.jsonl");
    const task = {
      id: "a",
      question: "red \u001b[31m?",
      answers: ["\u202eright"],
      document: "x\ty",
      metadata: {},
    };
    writeFileSync(path, `${JSON.stringify(task)}\n`);
    const text = await data("show", path);
    expect(text).toContain("question  red \ufffd[31m?");
    expect(text).toContain("\ufffdright");
    expect(text).toContain("x\ty");
  });

  it("shows one task by id or place", async () => {
    const text = await data("show", prepared, "--id", "id-2");
    expect(text).toContain("question  question 2?");
    expect(text).toContain("it is answer2");
    expect(await data("show", prepared, "--index", "2")).toBe(text);
    expect(await data("show", prepared, "--index", "2", "--document-chars", "20")).toMatch(
      /… \d+ characters …/,
    );
    const prose = join(folder, "prose.txt");
    writeFileSync(prose, "no task\n");
    await expect(data("show", prose)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(data("show", prepared, "--id", "none")).rejects.toThrow(
      'none of its 4 tasks has the id "none"',
    );
  });

  it("shows a store's records and questions", async () => {
    const path = join(folder, "store.jsonl");
    const record = {
      id: "r1",
      content: "Ann moved to Rome.",
      memoryType: "episodic",
      provenance: ["D1:1"],
      metadata: {},
    } as const;
    const probe = { question: "Where?", answers: ["Rome"], category: "single-hop", heldOut: true };
    const task = {
      id: "s",
      question: "",
      answers: [],
      document: "",
      metadata: {},
      records: [record],
      probes: [probe],
    };
    await saveTasks(path, [task]);
    expect((await loadTasks(path)).tasks).toEqual([task]);
    const text = await data("show", path);
    expect(text).toContain("r1  [episodic]  Ann moved to Rome.");
    expect(text).toContain("Where?  →  Rome  [single-hop, held out]");
  });
});

describe("data filter", () => {
  /** Knows the answer to question 1 at its second answer, and fails once. */
  async function server(): Promise<{
    readonly url: string;
    readonly asked: string[];
    readonly server: Server;
  }> {
    const asked: string[] = [];
    let failures = 1;
    const http = createServer((request, response) => {
      const send = (body: unknown, status = 200) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      if (request.method === "GET")
        return send({ object: "list", data: [{ id: "loopback", object: "model" }] });
      let text = "";
      request.on("data", (piece) => {
        text += piece;
      });
      request.on("end", () => {
        if (failures-- > 0) return send({ error: { message: "busy" } }, 503);
        const body = JSON.parse(text);
        const question = /question (\d)\?/.exec(body.messages[0].content)?.[1] ?? "";
        asked.push(question);
        const times = asked.filter((one) => one === question).length;
        const content = question === "1" && times === 2 ? "It is \\boxed{answer1}." : "I do not know.";
        if (body.stream !== true) {
          return send({
            choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
          });
        }
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const choice of [
          { index: 0, delta: { content } },
          { index: 0, delta: {}, finish_reason: "stop" },
        ]) {
          response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
        }
        response.end("data: [DONE]\n\n");
      });
    });
    await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
    return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`, asked, server: http };
  }

  it("drops what a served model answers without the document, and asks nothing twice", async () => {
    const { url, asked, server: http } = await server();
    const out = join(folder, "filtered.jsonl");
    const words = [
      "filter",
      prepared,
      "--out",
      out,
      "--endpoint",
      url,
      "--model",
      "loopback",
      "--samples",
      "2",
      "--max-tokens",
      "20",
    ];
    try {
      const text = await data(...words);
      expect(text).toContain("3 of 4 tasks remain; 1 were answered without the document");
      expect(asked).toHaveLength(8);
      expect((await loadTasks(out)).tasks.map(({ id }) => id)).toEqual(["id-0", "id-2", "id-3"]);
      const record = JSON.parse(readFileSync(`${out}.filter.json`, "utf8"));
      expect(record).toMatchObject({ tasks: 4, kept: 3, dropped: 1, answers: 8, samples: 2 });
      expect(await data(...words)).toContain("8, of which 8 come from an earlier run");
      expect(asked).toHaveLength(8);
      await expect(data(...words, "--temperature", "0")).rejects.toThrow("other settings");
    } finally {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    }
  });
});

describe("data prepare from a hub", () => {
  it("fetches the split, names commit and source in the manifest, and fetches it once", async () => {
    const bytes = readFileSync(source);
    const oid = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
    const requests: string[] = [];
    const http = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "", "http://hub");
      requests.push(`${request.headers.authorization} ${pathname}`);
      const send = (body: string | Buffer) => {
        response.writeHead(200, {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        });
        response.end(body);
      };
      const api = "/api/datasets/someone/hotpot";
      const file = { type: "file", path: "data/dev.json", size: bytes.length, oid };
      if (pathname.startsWith(`${api}/revision/`))
        return send(
          JSON.stringify({ id: "someone/hotpot", _id: "1", sha: "abc123", lastModified: new Date(0) }),
        );
      if (pathname.startsWith(`${api}/tree/`))
        return send(JSON.stringify([file, { ...file, path: "data/train.json" }]));
      if (pathname === "/datasets/someone/hotpot/resolve/abc123/data/dev.json") return send(bytes);
      response.writeHead(404).end();
    });
    await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
    const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    vi.stubEnv("HF_ENDPOINT", endpoint);
    vi.stubEnv("HF_TOKEN", "secret");
    vi.stubEnv("PALIMPSEST_CACHE", join(folder, "cache"));
    const out = join(folder, "from-hub.jsonl");
    try {
      const words = [
        "prepare",
        "hotpotqa",
        "--hf-dataset",
        "someone/hotpot",
        "--hf-split",
        "dev",
        "--out",
        out,
        "--json",
      ];
      const manifest = JSON.parse(await data(...words));
      expect(manifest).toMatchObject({
        tasks: 4,
        hub: { endpoint, repo: "someone/hotpot", revision: "main", commit: "abc123" },
        sources: [{ sha256: sha256Of(bytes) }],
      });
      expect(requests.every((request) => request.startsWith("Bearer secret "))).toBe(true);
      const before = requests.length;
      expect(JSON.parse(await data(...words))).toEqual(manifest);
      expect(requests).toHaveLength(before);
      await expect(
        data("prepare", "hotpotqa", "--hf-dataset", "someone/hotpot", "--out", out),
      ).rejects.toThrow("no split and no config selects 2 tables");
    } finally {
      vi.unstubAllEnvs();
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    }
  });
});
