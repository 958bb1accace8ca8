import { relative } from "node:path";
import { root } from "./setup/paths.mjs";

/**
 * Names everything that failed in a run of vitest.
 *
 * @param {string} name of the run
 * @param {object | undefined} report what vitest's JSON reporter wrote, if it came so far
 * @param {number | null} status the exit status of vitest
 * @returns {string[]} one line for each test that failed, for each file that failed outside of its tests, and for a run that
 *   failed without either, as after an error that no test awaited
 */
export function failuresIn(name, report, status) {
  const failures = (report?.testResults ?? []).flatMap((file) => {
    const path = relative(root, file.name);
    const failed = file.assertionResults.filter((test) => test.status === "failed");
    if (failed.length > 0)
      return failed.map((test) =>
        [path, ...test.ancestorTitles.filter((title) => title !== ""), test.title].join(" > "),
      );
    // A file that does not load runs no test, and a hook that fails after the last test fails none of them.
    return file.status === "failed" ? [`${path}: ${(file.message || "it failed").split("\n")[0]}`] : [];
  });
  if (failures.length > 0 || status === 0) return failures;
  return [`the run "${name}" ended with ${status ?? "a signal"} outside of its tests: its output says why`];
}
