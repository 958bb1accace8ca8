import { join } from "node:path";
import type * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { StandingClock } from "../testing/standing-clock.js";
import { ObjectReports } from "./object-reports.js";
import { ObjectStore } from "./store/object-store.js";

const value = "ab".repeat(20);
const ends = [
  ["a value's is named again to the next head", value],
  ["that of an object named by its hash is not", ""],
] as const;
test.each(ends)(
  "many changes of an object that wait to be told are told as one, the last, and of ends %s (REPORT-4, REPORT-5)",
  async (_, valueId) => {
    const folder = testFolder();
    const clock = new StandingClock();
    const store = await ObjectStore.open({ folder: join(folder, "objects"), maxBytes: 100, clock });
    const sent: proto.ObjectReport.$Properties[] = [];
    const reports = new ObjectReports({
      ...{ store, clock, checkMs: 1_000 },
      send: (report) => void sent.push(report),
      onGone: () => undefined,
    });
    try {
      const writer = await store.create(1, "", valueId);
      await writer.write(new Uint8Array(1));
      const { objectId } = await writer.commit();
      await Promise.resolve();
      sent.length = 0;
      for (let holder = 0; holder < 1_000; holder++) store.hold(objectId, `job-${holder}`);
      for (let holder = 0; holder < 999; holder++) store.release(`job-${holder}`);
      await Promise.resolve();
      const present = sent.flatMap((report) => report.present ?? []);
      expect(present).toMatchObject([{ sizeBytes: 1, held: true }]);
      sent.length = 0;
      store.hold(objectId, "job-1");
      store.drop({ objectId, holder: "" });
      await Promise.resolve();
      expect(sent.flatMap((report) => report.present ?? [])).toEqual([]);
      const named = () => sent.flatMap(({ gone }) => gone ?? []);
      expect(named()).toEqual([Buffer.from(objectId, "hex")]);
      // A head that did not hear of it learns of it (REPORT-5).
      sent.length = 0;
      reports.registered();
      expect(named()).toEqual(valueId === "" ? [] : [Buffer.from(objectId, "hex")]);
    } finally {
      reports.close();
      await store.close();
    }
  },
);
