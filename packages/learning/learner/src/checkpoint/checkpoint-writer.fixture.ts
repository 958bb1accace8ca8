import { writeCheckpoint } from "./checkpoint.js";

/** Writes checkpoint after checkpoint into argv[2], reporting each version to its parent, until killed. */
const root = process.argv[2] ?? "";
for (let policyVersion = 1; ; policyVersion++) {
  await writeCheckpoint(root, {
    policyVersion,
    step: policyVersion,
    tensors: { "weights/a": new Float32Array(300_000).fill(policyVersion) },
    random: [1, 2, 3, 4],
    config: {},
    model: {},
    extra: { consumedGroupIds: [`group-${policyVersion}`], dataCursor: policyVersion },
  });
  process.send?.(policyVersion);
}
