import { checkData } from "@palimpsest/datasets";
import type { Command } from "commander";
import { checkText } from "../../data/check-text.js";
import { checkedOutput } from "../../data/data-outputs.js";
import { untilStopped } from "../../input/signals.js";

export function addDataCheck(data: Command): void {
  data
    .command("check")
    .description(
      "verifies prepared files against their manifests: that they exist, are unchanged, and have only valid rows",
    )
    .argument("<paths...>", "prepared files, manifests, or folders with them")
    .addOption(checkedOutput.option())
    .action(async (paths: readonly string[], flags: { readonly json?: boolean }) => {
      const checked = await untilStopped(async (signal) => {
        const results = [];
        for (const path of paths) results.push(...(await checkData(path, { signal })));
        return results;
      });
      if (flags.json) checkedOutput.print(checked);
      else process.stdout.write(checkText(checked));
      if (!checked.every(({ right }) => right)) process.exitCode = 1;
    });
}
