import { describe, expect, it } from "vitest";
import { type HeadConfigInput, headConfigSchema, parseHeadConfig } from "./config.js";

describe("head configuration", () => {
  it("listens on loopback only, unless told otherwise", () => {
    expect(parseHeadConfig({ dataDir: "d" }).host).toBe("127.0.0.1");
  });

  it("refuses to be open to the network without a token", () => {
    expect(() => parseHeadConfig({ dataDir: "d", host: "0.0.0.0", token: "" })).toThrow(
      "token is empty and host 0.0.0.0 is reachable from outside",
    );
    expect(() => parseHeadConfig({ dataDir: "d", token: "short" })).toThrow(/^\[CONFIG_INVALID\] token: /);
  });

  it("names the field that is wrong, in one line", () => {
    const wrong = { dataDir: "d", port: 70_000, color: "red" } as HeadConfigInput;
    expect(() => parseHeadConfig(wrong)).toThrow(/port: .* \| head: .*color/);
    expect(() => parseHeadConfig({ dataDir: "d", redisUrl: "localhost" })).toThrow("redisUrl");
  });

  it("takes a name or an address for others, without the port", () => {
    for (const advertiseHost of ["head.example", "10.0.0.7", "::1", "fe80::1"])
      expect(parseHeadConfig({ dataDir: "/data", advertiseHost }).advertiseHost).toBe(advertiseHost);
    for (const advertiseHost of ["head:7420", "http://head", "a b", "head/"])
      expect(() => parseHeadConfig({ dataDir: "/data", advertiseHost })).toThrow(
        /advertiseHost: must be a name or an address alone; ports have flags of their own/,
      );
  });

  it("describes every field", () => {
    for (const [name, field] of Object.entries(headConfigSchema.shape)) {
      expect(field.description, name).toMatch(/\.$/);
    }
  });
});
