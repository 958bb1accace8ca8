/** The server as MCP clients run it: a process of the command, spoken to by the official client over its standard input and output. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { memoryToolNames } from "@palimpsest/memory";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { proseWith, ReadingServer } from "../ask/testing.js";

const program = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));
let folder: string;
const open: { close(): Promise<void> }[] = [];
beforeEach(() => {
  folder = testFolder();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Connected {
  readonly client: Client;
  readonly pid: number;
  call(name: string, args: Record<string, unknown>): Promise<{ text: string; isError: boolean }>;
}

const connect = (...flags: string[]) => start("--memory", join(folder, "memory.jsonl"), ...flags);

async function start(...flags: string[]): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", ...flags],
    // Clients pass variables that are not set as empty ones.
    env: { PATH: process.env["PATH"] ?? "", OPENAI_API_KEY: "", HOME: folder, XDG_STATE_HOME: "" },
    stderr: "inherit",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  open.push(client);
  return {
    client,
    pid: transport.pid as number,
    call: async (name, args) => {
      const { content, isError = false } = await client.callTool({ name, arguments: args });
      const [first] = content as { text: string }[];
      return { text: first?.text ?? "", isError: isError === true };
    },
  };
}

const idIn = (text: string): string => /memory_\d+/.exec(text)?.[0] ?? "";

describe("palimpsest mcp", () => {
  it("lists every tool with its schema, and each does its work on a file in an empty home that outlives the process", async () => {
    const first = await start("--no-ask");
    const { tools } = await first.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...memoryToolNames].sort());
    for (const { description, inputSchema } of tools) {
      expect(description).toBeTruthy();
      expect(inputSchema.type).toBe("object");
    }
    const readers = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
    expect(readers.sort()).toEqual(["sample_memory", "search_memory"]);
    const create = (content: string) => first.call("manage_memory", { operation: "create", content });
    const cat = idIn((await create("Ada has a cat named Tofu.")).text);
    const both = idIn((await create("Bo plays chess and the cello.")).text);
    const extra = idIn((await create("A note that nobody needs.")).text);
    expect(await first.call("delete_memory", { memory_id: extra })).toMatchObject({ isError: false });
    expect((await first.call("sample_memory", { k: 5 })).text).toContain("Tofu");
    // Killed with no time to say goodbye: what was answered is there (MEMORY-FILE-1).
    process.kill(first.pid, "SIGKILL");
    const second = await start("--no-ask");
    expect((await second.call("search_memory", { query: "what is the cat's name" })).text).toContain("Tofu");
    const split = await second.call("split_memory", {
      memory_id: both,
      criteria: "thematic",
      parts: ["Bo plays chess.", "Bo plays the cello."],
    });
    expect(split).toMatchObject({ isError: false });
    const ids = [...split.text.matchAll(/memory_\d+/g)].map(([id]) => id).filter((id) => id !== both);
    expect(
      await second.call("merge_memory", {
        memory_ids: [cat, ...ids],
        strategy: "summarize",
        content: "Tofu, chess, cello.",
      }),
    ).toMatchObject({ isError: false });
    expect((await second.call("search_memory", { query: "chess" })).text).toContain("Tofu, chess, cello.");
    const file = join(folder, ".local/state/palimpsest/memory.jsonl");
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(2);
  });

  it("answers each line that is no message with its id, and nothing on standard error is for machines", async () => {
    const child = spawn(process.execPath, [program, "mcp", "--no-ask"], {
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_STATE_HOME: "" },
    });
    let told = "";
    let complained = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      told += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complained += text;
    });
    const lines = [
      "{not json",
      '{"id":7}',
      '{"jsonrpc":"1.0","id":"a","method":"ping"}',
      '{"jsonrpc":"2.0","id":8,"method":"tools/list","params":3}',
      '[{"jsonrpc":"2.0","id":9,"method":"ping"}]',
      '{"id":10,"result":"odd"}',
      "",
      '{"jsonrpc":"2.0","id":11,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
      '{"jsonrpc":"2.0","id":12,"method":"ping"}',
    ];
    child.stdin.write(`${lines.join("\n")}\n`);
    while (!told.includes('"id":12')) await once(child.stdout, "data");
    child.stdin.end();
    await once(child, "close");
    const replies = told
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } });
    expect(replies.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32_700],
      [7, -32_600],
      ["a", -32_600],
      [8, -32_600],
      [null, -32_600],
      [11, undefined],
      [12, undefined],
    ]);
    expect(complained).not.toMatch(/[{}[\]]/);
  });

  it("refuses a memory file that can be none before it serves", async () => {
    const child = spawn(process.execPath, [program, "mcp", "--no-ask", "--memory", folder]);
    let complained = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complained += text;
    });
    const [code] = await once(child, "close");
    expect(code).toBe(2);
    expect(complained).toContain(`--memory ${folder}: is a folder; give a file, such as`);
  });

  it("two servers share a file: none loses what the other one has kept (MEMORY-FILE-2)", async () => {
    const servers = [await connect("--no-ask"), await connect("--no-ask")];
    const facts = Array.from({ length: 6 }, (_, at) => `Fact number ${at} is kept.`);
    const kept = await Promise.all(
      facts.map((content, at) =>
        (servers[at % 2] as Connected).call("manage_memory", { operation: "create", content }),
      ),
    );
    expect(new Set(kept.map(({ text }) => idIn(text))).size).toBe(facts.length);
    for (const server of servers)
      for (const [at, fact] of facts.entries())
        expect(
          (await server.call("search_memory", { query: `fact number ${at}`, top_k: 12 })).text,
        ).toContain(fact);
  });

  it("starts in no folder that is not there", async () => {
    const missing = join(folder, "missing");
    const child = spawn(process.execPath, [program, "mcp", "--root", missing], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    const [code] = await once(child, "close");
    expect([code, said]).toEqual([3, expect.stringContaining(`--root ${missing}: does not exist;`)]);
  });

  it("tells a client what was wrong, and goes on", async () => {
    const server = await connect("--no-ask");
    expect(await server.call("delete_memory", { memory_id: "memory_9" })).toEqual({
      text: expect.stringMatching(/memory_9.*search_memory/),
      isError: true,
    });
    await expect(
      server.call("manage_memory", { operation: "invent", content: "x" }).then(({ text, isError }) => {
        if (isError) throw new Error(text);
      }),
    ).rejects.toThrow(/operation/);
    writeFileSync(join(folder, "memory.jsonl"), "no snapshot\n");
    expect(await server.call("search_memory", { query: "x" })).toMatchObject({
      text: expect.stringContaining("memory.jsonl:1"),
      isError: true,
    });
    rmSync(join(folder, "memory.jsonl"));
    expect(await server.call("manage_memory", { operation: "create", content: "It goes on." })).toMatchObject(
      {
        isError: false,
      },
    );
  });

  it("asks the agent, tells how far it is, and reads nothing outside of its folder", async () => {
    const reader = await ReadingServer.start("harbour master");
    open.push({ close: () => reader.stop() });
    mkdirSync(join(folder, "root"));
    writeFileSync(
      join(folder, "root", "log.txt"),
      proseWith(["At the end the harbour master was called Cora."], 60_000),
    );
    writeFileSync(join(folder, "secret.txt"), "The harbour master's password is 1234.");
    const server = await connect("--root", join(folder, "root"), "--endpoint", reader.url, "--max-size", "1");
    expect((await server.client.listTools()).tools.map(({ name }) => name)).toContain("ask");
    const question = "What was the last harbour master called?";
    const progress: { progress: number; total?: number | undefined }[] = [];
    const answered = await server.client.callTool(
      { name: "ask", arguments: { question, source: "log.txt" } },
      { onprogress: (one) => progress.push(one) },
    );
    expect(JSON.stringify(answered.content)).toContain("Cora");
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.at(-1)?.progress).toBe(progress.at(-1)?.total);
    expect(await server.call("ask", { question, text: "The harbour master was called Dora." })).toMatchObject(
      {
        text: expect.stringContaining("Dora"),
        isError: false,
      },
    );
    const long = { question, text: "x".repeat(2 ** 20 + 1) };
    expect(await server.call("ask", long)).toEqual({
      text: expect.stringMatching(/^(\[LIMIT_EXCEEDED\] )?text: has 1048577 bytes, .*--max-size/),
      isError: true,
    });
    expect(JSON.stringify(await server.call("ask", { question: "x".repeat(10_001), text: "x" }))).toContain(
      "question",
    );
    symlinkSync(join(folder, "secret.txt"), join(folder, "root", "link.txt"));
    for (const source of ["../secret.txt", join(folder, "secret.txt"), "link.txt"])
      expect(await server.call("ask", { question, source })).toEqual({
        text: expect.stringMatching(/^(\[INVALID_ARGUMENT\] )?source: .* is outside /),
        isError: true,
      });
    // A link inside of a folder is passed over.
    expect(await server.call("ask", { question, source: "." })).toMatchObject({ isError: false });
    expect(await server.call("ask", { question, source: "none.txt" })).toMatchObject({ isError: true });
    for (const blank of ["", " ", "\n\t", "\u200b", "\u00a0"])
      expect(await server.call("ask", { question: blank, text: "x" })).toEqual({
        isError: true,
        text: expect.stringMatching(/^\[INVALID_ARGUMENT\] question: must not be (empty|blank)/),
      });
    expect(await server.call("ask", { question })).toMatchObject({
      text: expect.stringContaining("both are missing; give exactly one of them"),
      isError: true,
    });
    expect(reader.prompts.join("\n")).not.toContain("1234");
  });

  it("ends with the reason when a message does not end within the bound", async () => {
    const server = spawn(process.execPath, [
      program,
      "mcp",
      "--memory",
      join(folder, "memory.jsonl"),
      "--no-ask",
    ]);
    open.push({
      close: async () => {
        server.kill("SIGKILL");
      },
    });
    let told = "";
    server.stderr.on("data", (chunk) => {
      told += chunk;
    });
    // It may be gone before all is written; standard input stays open.
    server.stdin.on("error", () => undefined);
    server.stdin.write(Buffer.alloc(10 * 2 ** 20 + 1, "x"));
    const [code] = await once(server, "close");
    expect(told).toMatch(/standard input: a message has more than 10485760 bytes; .*source/);
    expect(code).toBe(1);
  });
});
