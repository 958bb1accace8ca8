import { Command } from "commander";
import { commands } from "./commands.js";
import { reportFailure } from "./failure.js";
import { version } from "./version.js";

async function run(): Promise<void> {
  const program = new Command("palimpsest")
    .description("A distributed actor system, and reinforcement learning of memory agents on top of it.")
    .version(version)
    .showHelpAfterError("(palimpsest --help lists the commands)");

  try {
    const wanted = commands[process.argv[2] ?? ""];
    for (const load of wanted ? [wanted] : Object.values(commands)) (await load())(program);
    await program.parseAsync();
  } catch (reason) {
    process.exitCode = reportFailure(reason);
  }
}

// The promise is not awaited, because this module is also bundled as CommonJS, which has no top-level await.
void run();
