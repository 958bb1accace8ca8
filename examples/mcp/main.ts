// What an assistant does with `palimpsest mcp`: it starts the server and calls its tools, one JSON message per line.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

interface Reply {
  readonly tools?: readonly { readonly name: string }[];
  readonly content?: readonly { readonly text: string }[];
}

const folder = mkdtempSync(join(tmpdir(), "memory-"));
const args = ["palimpsest", "mcp", "--memory", join(folder, "memory.jsonl"), "--no-ask"];
const server = spawn("npx", args, { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
let id = 0;

async function request(method: string, params: object): Promise<Reply> {
  send({ id: ++id, method, params });
  const { value } = await lines.next();
  return (JSON.parse(value ?? "{}") as { readonly result: Reply }).result;
}

async function call(name: string, given: object): Promise<void> {
  const { content } = await request("tools/call", { name, arguments: given });
  console.log(`${name}\n  ${content?.[0]?.text.trim().replaceAll("\n", "\n  ")}`);
}

const clientInfo = { name: "example", version: "1" };
await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
send({ method: "notifications/initialized" });
const { tools = [] } = await request("tools/list", {});
console.log(`tools: ${tools.map(({ name }) => name).join(", ")}`);
await call("manage_memory", { operation: "create", content: "Ada's cat is called Tofu." });
await call("manage_memory", { operation: "create", content: "Ada plays chess on Fridays." });
await call("search_memory", { query: "what is the cat called?", top_k: 1 });
server.stdin.end();
await once(server, "exit");
rmSync(folder, { recursive: true });
