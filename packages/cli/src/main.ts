import { Command } from "commander";
import { commands } from "./commands.js";
import { reportFailure } from "./failure.js";
import { version } from "./version.js";

async function run(): Promise<void> {
  const program = new Command("palimpsest")
    .description("A distributed actor system, and reinforcement learning of memory agents on top of it.")
    .version(version);

  try {
    const wanted = commands[process.argv[2] ?? ""];
    for (const load of wanted ? [wanted] : Object.values(commands)) (await load())(program);
    nameHelp(program, "palimpsest");
    await program.parseAsync();
  } catch (reason) {
    process.exitCode = reportFailure(reason);
  }
}

/** Makes usage errors name the help of the command that was meant. */
function nameHelp(command: Command, name: string): void {
  const listed = command.commands.length > 0 ? "commands" : "arguments and options";
  command.showHelpAfterError(`(${name} --help lists the ${listed})`);
  for (const child of command.commands) nameHelp(child, `${name} ${child.name()}`);
}

// The promise is not awaited, because this module is also bundled as CommonJS, which has no top-level await.
void run();
