import { expect, test } from "vitest";
import { chooseDevices, visibleTo } from "./gpu-devices.js";

test("offers what nvidia-smi lists, by index", () => {
  expect(chooseDevices(undefined, 3, undefined)).toEqual(["0", "1", "2"]);
  expect(chooseDevices(undefined, 3, 2)).toEqual(["0", "1"]);
  expect(chooseDevices(undefined, 0, undefined)).toEqual([]);
});

test("the node's own CUDA_VISIBLE_DEVICES defines the devices: indices, UUIDs, or none", () => {
  expect(chooseDevices("2,5", 8, undefined)).toEqual(["2", "5"]);
  expect(chooseDevices("GPU-8f2c,MIG-1a", 8, undefined)).toEqual(["GPU-8f2c", "MIG-1a"]);
  expect(chooseDevices("3,-1,4", 8, undefined)).toEqual(["3"]);
  for (const none of ["", "-1", "NoDevFiles"]) expect(chooseDevices(none, 8, undefined)).toEqual([]);
  expect(chooseDevices("0", 0, undefined)).toEqual([]);
  expect(chooseDevices("4,6,7", 8, 2)).toEqual(["4", "6"]);
  expect(() => chooseDevices("4", 8, 2)).toThrow('gpus is 2, but CUDA_VISIBLE_DEVICES="4" leaves the node 1');
});

test("a process sees the devices of its lease, and without one none", () => {
  expect(visibleTo(["4", "6", "GPU-a"], [1, 2])).toBe("6,GPU-a");
  expect(visibleTo(["4", "6"], [])).toBe("");
  expect(visibleTo([], [])).toBe("");
});
