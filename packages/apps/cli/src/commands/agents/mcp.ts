import { join } from "node:path";
import { PalimpsestError, stateFolder } from "@palimpsest/wire";
import type { Command } from "commander";
import { refuseIgnored } from "../../input/endpoint-flags.js";
import { existingFolder } from "../../input/existing-path.js";
import { parsePositive } from "../../input/key-values.js";
import { refuseToWait } from "../../input/no-input.js";
import { stopSignal } from "../../input/signals.js";
import { type BackendChoice, backendOption } from "../../models/backend-option.js";

interface McpFlags {
  readonly memory: string;
  readonly ask: boolean;
  readonly root: string;
  readonly model?: string;
  readonly endpoint?: string;
  readonly backend: BackendChoice;
  readonly maxSize: number;
  readonly timeout?: number;
  readonly encoding?: string;
}

/** Maximum bytes of a client's message, which is kept in memory until its line ends. */
const mostMessageBytes = 10 * 2 ** 20;

const examples = `
Add the server to a client's settings, for example {"mcpServers": {"palimpsest": {"command": "npx", "args": ["--prefix", "/home/me/project", "palimpsest", "mcp", "--root", "/home/me/notes"]}}}.
Several clients may use one memory file at a time.`;

export function addMcp(program: Command): void {
  program
    .command("mcp")
    .description("serves the memory tools and `ask` to MCP clients over standard input and output")
    .option("--memory <file>", "JSONL file of the memories", join(stateFolder(), "memory.jsonl"))
    .option("--no-ask", "serves only the memory tools, which need no model")
    .option("--root <folder>", "the only folder, with its subfolders, from which `ask` reads documents", ".")
    .option(
      "--model <name>",
      `for ask: folder, run, known name or hub id; default: as \`palimpsest ask\` chooses`,
    )
    .option(
      "--endpoint <url>",
      "for ask: URL of an OpenAI-compatible server; its key comes from OPENAI_API_KEY",
    )
    .addOption(backendOption())
    .option(
      "--timeout <seconds>",
      "for ask with --endpoint: deadline of one attempt; default 240",
      parsePositive,
    )
    .option("--max-size <MiB>", "maximum total size of all files of a question", parsePositive, 64)
    .option(
      "--encoding <name>",
      "encoding of documents that are not marked as Unicode; default: as `ask` reads them",
    )
    .addHelpText("after", examples)
    .action(run);
}

async function run(flags: McpFlags): Promise<void> {
  refuseToWait("an MCP client starts this command, with its own pipes");
  refuseIgnored(flags);
  const { serveStdio, StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  const { AskTool } = await import("../../mcp/ask-tool.js");
  const { MemoryFile } = await import("../../mcp/memory-file.js");
  const { memoryServer } = await import("../../mcp/mcp-server.js");
  const { MessageLines } = await import("../../mcp/message-lines.js");
  const { memory: path, ask, root, model, endpoint, backend, maxSize, timeout, encoding } = flags;
  if (ask)
    existingFolder(
      root,
      `--root ${root}`,
      "name the folder of the documents, or give --no-ask for memories alone",
    );
  const memory = new MemoryFile(path);
  await memory.check();
  const askTool = ask
    ? new AskTool({
        root,
        backend,
        mostBytes: maxSize * 2 ** 20,
        encoding,
        timeoutSeconds: timeout,
        ...(model === undefined ? {} : { model }),
        ...(endpoint === undefined ? {} : { endpoint }),
      })
    : undefined;
  const signal = stopSignal();
  const messages = new MessageLines((line) => process.stdout.write(line), mostMessageBytes);
  const transport = new StdioServerTransport(process.stdin.pipe(messages), process.stdout, {
    maxBufferSize: mostMessageBytes,
  });
  let tooLong = false;
  // Errors go to standard error, because standard output carries only the protocol.
  const handle = serveStdio(() => memoryServer(memory, askTool), {
    transport,
    onerror: ({ message }) => {
      tooLong ||= message.includes("exceeded maximum size");
      process.stderr.write(`${message}\n`);
    },
  });
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    // The transport also closes by itself, after a message that is too long and when nobody reads its answers.
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  await handle.close();
  // Standard input is closed, because a client that keeps it open would keep this process running.
  process.stdin.destroy();
  await askTool?.close();
  if (tooLong)
    throw new PalimpsestError(
      "LIMIT_EXCEEDED",
      `standard input: a message has more than ${mostMessageBytes} bytes; put a long text into a file below --root and give its path as source`,
    );
}
