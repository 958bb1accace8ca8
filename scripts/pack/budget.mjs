// What an installation may weigh, by package: megabytes of its tarball, and third-party packages, including indirect ones. A
// change that needs more raises the number here, where a reviewer sees it.
import { rowsOf } from "./table.mjs";

const budget = {
  "@palimpsest/agents": { megabytes: 0.15, foreign: 1 },
  "@palimpsest/memory": { megabytes: 0.1, foreign: 1 },
  "@palimpsest/engines": { megabytes: 0.1, foreign: 3 },
  "@palimpsest/rewards": { megabytes: 0.1, foreign: 85 },
  "@palimpsest/evals": { megabytes: 0.25, foreign: 90 },
  "@palimpsest/client": { megabytes: 0.3, foreign: 70 },
  "@palimpsest/runtime": { megabytes: 2, foreign: 92 },
  "@palimpsest/worker": { megabytes: 0.1, foreign: 70 },
  "@palimpsest/jit": { megabytes: 0.8, foreign: 21 },
  palimpsest: { megabytes: 14, foreign: 140 },
};

/**
 * Says which packages weigh more than they may.
 * @param tarballs what `pack()` gives
 */
export function overBudget(tarballs) {
  return rowsOf(tarballs).flatMap(({ name, size, foreign }) => {
    const allowed = budget[name];
    const megabytes = size / 1e6;
    return [
      ...(megabytes > allowed.megabytes
        ? [`${name} has ${megabytes.toFixed(2)} MB, and may have ${allowed.megabytes}`]
        : []),
      ...(foreign > allowed.foreign
        ? [`${name} brings ${foreign} third-party packages, and may bring ${allowed.foreign}`]
        : []),
    ].map((problem) => `${problem}: make it lighter, or raise the number in scripts/pack/budget.mjs`);
  });
}
