import { randomBytes } from "node:crypto";
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../../../../test/support/temporary-folder.js";
import { StandingClock } from "../../testing/standing-clock.js";
import { systemDisk } from "./object-disk.js";
import { ObjectStore } from "./object-store.js";

test("room ahead of need is nobody else's once its value is being sealed (STOREROOM-4, NODEQUOTA-1)", async () => {
  let rename = () => undefined as unknown;
  const renaming = new Promise((resolve) => {
    rename = () => resolve(undefined);
  });
  let goOn = () => undefined as unknown;
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const clock = new StandingClock();
  const store = await ObjectStore.open({
    ...{ folder: join(testFolder(), "objects"), maxBytes: 16_000, clock },
    disk: {
      ...systemDisk,
      async rename(from, to) {
        rename();
        await mayGoOn;
        await systemDisk.rename(from, to);
      },
    },
  });
  onTestFinished(() => store.close());
  store.quotas.registered(true);
  store.quotas.opened("driver");
  const quota = { name: "namespace n", maxBytes: 1_500, grantedBytes: 1_500 };
  store.quotas.allowed({ quotas: [quota], holders: [{ holder: "driver", quotas: [quota.name] }] });
  const usedBytes = () => store.quotas.uses().get(quota.name)?.usedBytes;
  const write = await store.reserveAhead(1_000, "driver", randomBytes(20).toString("hex"));
  await truncate(write?.path ?? "", 1_000);
  const sealed = write?.seal();
  await renaming;
  const other = store.reserve(1_000, "driver", randomBytes(20).toString("hex"));
  let isAdmitted = false;
  other.then(
    () => {
      isAdmitted = true;
    },
    () => undefined,
  );
  // Others in need of room end what was reserved ahead, as its own time does.
  clock.advance(10_000);
  expect([usedBytes(), isAdmitted]).toEqual([1_000, false]);
  goOn();
  await sealed;
  expect([usedBytes(), isAdmitted, store.residentBytes]).toEqual([1_000, false, 1_000]);
  store.release("driver");
  await (await other).abort();
  expect(usedBytes()).toBe(0);
});
