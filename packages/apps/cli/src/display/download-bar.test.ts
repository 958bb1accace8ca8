import { describe, expect, it } from "vitest";
import { formatBytes } from "./bytes.js";
import { downloadLine } from "./download-bar.js";

describe("downloadLine", () => {
  it("tells file, share, bytes, pace and the time left", () => {
    const progress = { file: "model.safetensors", doneBytes: 250e6, totalBytes: 1e9 };
    expect(downloadLine(progress, { seconds: 5, bytes: 50e6 })).toBe(
      "model.safetensors  ██████░░░░░░░░░░░░░░░░░░  250 MB of 1.0 GB  10.0 MB/s  ETA 1 min 15 s",
    );
  });

  it("claims no pace before there is one", () => {
    const line = downloadLine({ file: "a", doneBytes: 10, totalBytes: 20 }, { seconds: 0, bytes: 0 });
    expect(line).toContain("10 B of 20 B  0 B/s  ETA –");
  });
});

describe("formatBytes", () => {
  it("chooses the unit", () => {
    expect([0, 999, 1000, 123_456, 4_100_000_000].map(formatBytes)).toEqual([
      "0 B",
      "999 B",
      "1.0 kB",
      "123 kB",
      "4.1 GB",
    ]);
  });
});
