import { join } from "node:path";
import type { Command } from "commander";
import { stateFolder } from "../data-dir.js";
import { parseAmount } from "../key-values.js";
import { shippedAgentName } from "../shipped-agent-name.js";
import { stopSignal } from "../signals.js";

interface McpFlags {
  readonly memory: string;
  readonly ask: boolean;
  readonly root: string;
  readonly model?: string;
  readonly endpoint?: string;
  readonly backend: string;
  readonly maxSize: number;
}

const examples = `
In a client's settings, such as {"mcpServers": {"palimpsest": {"command": "npx", "args": ["palimpsest", "mcp", "--root", "/home/me/notes"]}}}.
Several clients may use one memory file at a time.`;

export function addMcp(program: Command): void {
  program
    .command("mcp")
    .description("serves the memory tools and `ask` to MCP clients over standard input and output")
    .option("--memory <file>", "where memories are kept, JSONL", join(stateFolder(), "memory.jsonl"))
    .option("--no-ask", "the memory tools alone: no model is needed")
    .option("--root <folder>", "documents for `ask` are read from here and its folders alone", ".")
    .option(
      "--model <name>",
      `for ask: folder, run, known name or hub id; default: ${shippedAgentName}, which comes along`,
    )
    .option("--endpoint <url>", "for ask: an OpenAI-compatible server; its key comes from OPENAI_API_KEY")
    .option("--backend <name>", "of a local model: auto, tensorflow, wasm or cpu", "auto")
    .option("--max-size <MiB>", "of all files of a question together", parseAmount, 64)
    .addHelpText("after", examples)
    .action(run);
}

async function run(flags: McpFlags): Promise<void> {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const { AskTool } = await import("../mcp/ask-tool.js");
  const { MemoryFile } = await import("../mcp/memory-file.js");
  const { memoryServer } = await import("../mcp/mcp-server.js");
  const { memory: path, ask, root, model, endpoint, backend, maxSize } = flags;
  const memory = new MemoryFile(path);
  const askTool = ask
    ? new AskTool({
        root,
        backend,
        mostBytes: maxSize * 2 ** 20,
        ...(model === undefined ? {} : { model }),
        ...(endpoint === undefined ? {} : { endpoint }),
      })
    : undefined;
  const signal = stopSignal();
  // Standard output is the protocol's.
  const handle = serveStdio(() => memoryServer(memory, askTool), {
    onerror: (error) => process.stderr.write(`${error.message}\n`),
  });
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
  });
  await handle.close();
  await askTool?.close();
}
