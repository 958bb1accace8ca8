// The statement of where tarballs come from, in the form of SLSA: what was built, from which commit, by which workflow.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { output } from "../setup/command.mjs";
import { root } from "../setup/paths.mjs";

const workflow = ".github/workflows/release.yml";

export const digest = (algorithm, path) => createHash(algorithm).update(readFileSync(path)).digest("hex");

/** Where the code is: of a workflow its repository, else this folder. */
function source() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  return server && repository ? `${server}/${repository}` : "file:.";
}

/**
 * The statement, without a signature: npm signs one of its own with the identity that a workflow has, and the digests of the
 * two must be the same.
 * @param folder where the files lie
 */
export function provenanceOf(folder, files) {
  const { GITHUB_RUN_ID: run, GITHUB_REF: ref, GITHUB_SHA: sha } = process.env;
  const commit = sha ?? output("git", ["rev-parse", "HEAD"], { cwd: root });
  const changed = output("git", ["status", "--porcelain"], { cwd: root }) !== "";
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: files.map((name) => ({ name, digest: { sha512: digest("sha512", join(folder, name)) } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `${source()}/${workflow}`,
        externalParameters: { ref: ref ?? "", command: "npm run release -- build" },
        internalParameters: { node: process.version, ...(changed ? { uncommittedChanges: true } : {}) },
        resolvedDependencies: [
          { uri: `git+${source()}`, digest: { gitCommit: commit } },
          { uri: "pnpm-lock.yaml", digest: { sha256: digest("sha256", join(root, "pnpm-lock.yaml")) } },
        ],
      },
      runDetails: {
        builder: { id: run ? `${source()}/actions/runs/${run}` : "a machine of a person" },
        metadata: run ? { invocationId: run } : {},
      },
    },
  };
}
