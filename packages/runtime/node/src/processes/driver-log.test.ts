import { describe, expect, test } from "vitest";
import { DriverLog } from "./driver-log.js";

const mebibyte = 1024 * 1024;

function log() {
  const full: boolean[] = [];
  return { driverLog: new DriverLog((is) => full.push(is)), full };
}

const textAt = (driverLog: DriverLog, offsetBytes: number) => {
  const part = driverLog.partAt(offsetBytes);
  return part && { text: Buffer.from(part.data).toString(), offsetBytes: part.offsetBytes };
};

describe("DriverLog", () => {
  test("DRIVER-LOG-1: numbers parts by byte, not by character, without gaps", () => {
    const { driverLog } = log();
    driverLog.append(Buffer.from("é\n"));
    driverLog.append(Buffer.from("next\n"));
    expect(textAt(driverLog, 0)).toEqual({ text: "é\nnext\n", offsetBytes: 0 });
    expect(textAt(driverLog, 3)).toEqual({ text: "next\n", offsetBytes: 3 });
    expect(textAt(driverLog, 5)).toEqual({ text: "xt\n", offsetBytes: 5 });
    expect(textAt(driverLog, 8)).toBeUndefined();
    expect(driverLog.endBytes).toBe(8);
  });

  test("DRIVER-LOG-2: keeps exactly what was not acknowledged", () => {
    const { driverLog } = log();
    driverLog.append(Buffer.from("one\n"));
    driverLog.append(Buffer.from("two\n"));
    driverLog.acknowledge(4);
    expect(textAt(driverLog, 4)).toEqual({ text: "two\n", offsetBytes: 4 });
    expect(driverLog.acknowledged).toBe(false);
    driverLog.acknowledge(8);
    expect(driverLog.acknowledged).toBe(true);
  });

  test("cuts long text into parts that fit a message", () => {
    const { driverLog } = log();
    const text = "😀".repeat(200_000);
    driverLog.append(Buffer.from(text));
    const parts: Uint8Array[] = [];
    for (let at = 0; at < driverLog.endBytes; at += parts.at(-1)?.byteLength ?? 0) {
      parts.push(driverLog.partAt(at)?.data ?? new Uint8Array());
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(Buffer.concat(parts).toString()).toBe(text);
  });

  test("DRIVER-LOG-3: asks its driver to wait above the bound, and to go on when the head has caught up", () => {
    const { driverLog, full } = log();
    for (let index = 0; index < 10; index++) driverLog.append(Buffer.from("x".repeat(mebibyte)));
    expect(full).toEqual([true]);
    driverLog.acknowledge(9 * mebibyte);
    expect(full).toEqual([true, false]);
  });

  test("output that the head does not want is counted, not kept, and its driver never waits", () => {
    const { driverLog, full } = log();
    driverLog.append(Buffer.from("x".repeat(9 * mebibyte)));
    driverLog.discard();
    driverLog.append(Buffer.from("y".repeat(9 * mebibyte)));
    expect(full).toEqual([true, false]);
    expect(driverLog).toMatchObject({ acknowledged: true, endBytes: 18 * mebibyte });
  });
});
