import { describe, expect, test } from "vitest";
import { DriverLog } from "./driver-log.js";

function log() {
  const sent: { text: string; offsetBytes: number }[] = [];
  const full: boolean[] = [];
  const driverLog = new DriverLog(
    "job-1",
    ({ text, offsetBytes }) => sent.push({ text: text ?? "", offsetBytes: offsetBytes ?? 0 }),
    (is) => full.push(is),
  );
  return { driverLog, sent, full };
}

describe("DriverLog", () => {
  test("numbers parts by byte, not by character, without gaps (D1)", () => {
    const { driverLog, sent } = log();
    driverLog.append("é\n");
    driverLog.append("next\n");
    expect(sent).toEqual([
      { text: "é\n", offsetBytes: 0 },
      { text: "next\n", offsetBytes: 3 },
    ]);
  });

  test("sends again exactly what was not acknowledged (D2)", () => {
    const { driverLog, sent } = log();
    driverLog.append("one\n");
    driverLog.append("two\n");
    driverLog.acknowledge(4);
    sent.length = 0;
    driverLog.replay();
    expect(sent).toEqual([{ text: "two\n", offsetBytes: 4 }]);
    driverLog.acknowledge(8);
    expect(driverLog.acknowledged).toBe(true);
  });

  test("cuts long text into parts that fit a message, never inside a character", () => {
    const { driverLog, sent } = log();
    const text = "😀".repeat(200_000);
    driverLog.append(text);
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.map((part) => part.text).join("")).toBe(text);
    for (const { text: part } of sent) expect(Buffer.from(part).toString()).toBe(part);
  });

  test("asks its driver to wait above the bound, and to go on when the head has caught up (D3)", () => {
    const { driverLog, full } = log();
    for (let index = 0; index < 10; index++) driverLog.append("x".repeat(1024 * 1024));
    expect(full).toEqual([true]);
    driverLog.acknowledge(9 * 1024 * 1024);
    expect(full).toEqual([true, false]);
  });
});
