import { Command } from "commander";
import { commands } from "./commands.js";
import { reportFailure } from "./failure.js";
import { version } from "./version.js";

async function run(): Promise<void> {
  const program = new Command("palimpsest")
    .description("A distributed actor system, and on it reinforcement learning of memory agents.")
    .version(version)
    .showHelpAfterError("(palimpsest --help shows what there is)");

  try {
    const wanted = commands[process.argv[2] ?? ""];
    for (const load of wanted ? [wanted] : Object.values(commands)) (await load())(program);
    await program.parseAsync();
  } catch (reason) {
    process.exitCode = reportFailure(reason);
  }
}

// Not awaited at the top level: this module is also bundled as CommonJS.
void run();
