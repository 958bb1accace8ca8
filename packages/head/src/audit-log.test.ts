import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@palimpsest/wire";
import { expect, it } from "vitest";
import { AuditLog } from "./audit-log.js";
import { quietLogger, temporaryFolder } from "./testing/builders.js";

const record = {
  method: "/palimpsest.v1.Head/Shutdown",
  peer: "10.0.0.9:1234",
  caller: undefined,
  outcome: "UNAUTHENTICATED",
  refused: true,
} as const;

it("AUDIT-1: writes one JSON line for each call, and two files of at most the bound", () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "audit.log");
  try {
    const log = new AuditLog(path, { clock: systemClock, logger: quietLogger(), maxBytes: 1_000 });
    for (let i = 0; i < 50; i++) log.record(record);
    const lines = readFileSync(path, "utf8").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ method: record.method, peer: record.peer, outcome: "UNAUTHENTICATED" }),
    );
    for (const name of [path, `${path}.1`]) {
      expect(statSync(name).size).toBeLessThanOrEqual(1_000);
      expect(statSync(name).mode & 0o777).toBe(0o600);
    }
  } finally {
    folder.remove();
  }
});
