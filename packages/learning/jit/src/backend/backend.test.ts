import { afterEach, describe, expect, test, vi } from "vitest";
import { tf } from "../base/tf.js";
import { loadBackend } from "./backend.js";

describe("loadBackend", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.doUnmock("../base/tfjs-node.js");
  });

  test("falls back to wasm and says why where the tensorflow addon is missing", async () => {
    vi.doMock("../base/tfjs-node.js", () => {
      throw new Error("native addon can not be found");
    });
    const backend = await loadBackend();
    expect(backend.name).toBe("wasm");
    expect(backend.passedOver).toHaveLength(1);
    expect(backend.passedOver[0]).toMatch(/^tensorflow: /);
    expect(tf.getBackend()).toBe("wasm");
  });

  test("refuses to fall back where tensorflow was asked for, and names the command that helps", async () => {
    vi.doMock("../base/tfjs-node.js", () => {
      throw new Error("native addon can not be found");
    });
    await expect(loadBackend({ prefer: "tensorflow" })).rejects.toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message: expect.stringContaining("npx palimpsest doctor"),
    });
  });

  test("refuses a number of threads that is not whole and positive", async () => {
    await expect(loadBackend({ threads: 0 })).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  });

  test("prefers tensorflow and names its version", async () => {
    const backend = await loadBackend();
    expect(backend).toMatchObject({ name: "tensorflow", passedOver: [] });
    expect(backend.tensorflowVersion).toMatch(/^2\.\d+\.\d+/);
    expect(backend.tf.getBackend()).toBe("tensorflow");
  });

  test("gives the same tensorflow backend again after another one was active", async () => {
    const first = await loadBackend({ prefer: "tensorflow" });
    await loadBackend({ prefer: "cpu" });
    expect(tf.getBackend()).toBe("cpu");
    const again = await loadBackend({ prefer: "tensorflow" });
    expect(again.tf.backend()).toBe(first.tf.findBackend("tensorflow"));
    expect(tf.tidy(() => tf.add(1, 2).dataSync())).toEqual(Float32Array.of(3));
  });

  test("starts the cpu backend without a word on the console", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { tf: cpu } = await loadBackend({ prefer: "cpu" });
    expect(cpu.tidy(() => cpu.square(3).dataSync())).toEqual(Float32Array.of(9));
    expect(warn).not.toHaveBeenCalled();
  });
});
