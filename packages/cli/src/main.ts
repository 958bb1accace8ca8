import { reportFailure } from "./failure.js";
import { makeProgram } from "./whole-program.js";

async function run(): Promise<void> {
  try {
    const program = await makeProgram(process.argv[2]);
    await program.parseAsync();
  } catch (reason) {
    process.exitCode = reportFailure(reason);
  }
}

// The promise is not awaited, because this module is also bundled as CommonJS, which has no top-level await.
void run();
