import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.resetModules();
});

async function networkUnder(faults: string) {
  vi.stubEnv("PALIMPSEST_FAULTS", faults);
  vi.resetModules();
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const wire = await import("../index.js");
  return { warnings, wire };
}

test("without PALIMPSEST_FAULTS nothing is wrapped and nothing is said", async () => {
  const { warnings, wire } = await networkUnder("");
  const peer = wire.grpcNetwork({ token: "token" }).connect("127.0.0.1:1");
  expect(peer.constructor.name).toBe("GrpcPeer");
  peer.close();
  expect(warnings).not.toHaveBeenCalled();
});

test("with it every network of the process fails as it says, and one line warns of it", async () => {
  const rule = { method: "Head.GetCluster", when: "before", error: "NOT_FOUND" };
  const { warnings, wire } = await networkUnder(JSON.stringify({ seed: 3, rules: [rule] }));
  expect(() => wire.grpcNetwork({ token: "token" })).toThrow("faultsLoaded");
  await wire.faultsLoaded;
  for (let made = 0; made < 2; made++) {
    const peer = wire.grpcNetwork({ token: "token" }).connect("127.0.0.1:1");
    const call = peer.unary(wire.headService.getCluster, {}, { timeoutMs: 600_000 });
    await expect(call).rejects.toMatchObject({ code: "NOT_FOUND" });
    peer.close();
  }
  expect(warnings.mock.calls).toEqual([
    ["PALIMPSEST_FAULTS is set: this process fails 1 of Head.GetCluster before (seed 3)"],
  ]);
});
