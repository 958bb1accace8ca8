import * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { fieldsOf } from "./message-fields.js";

const defaults = {
  jobId: "",
  name: "train",
  status: proto.JobStatus.JOB_STATUS_RUNNING,
  message: "",
  nodeId: "",
  driverPid: 0,
  driverExitCode: null,
  submittedAtMs: 0,
  startedAtMs: 0,
  endedAtMs: 0,
  metadata: {},
  stopRequested: false,
  outputBytes: 0,
  resources: null,
  workingDir: "",
  gpuIds: [],
  attempt: 0,
  maxAttempts: 0,
  retriedAs: "",
};

test("all fields of a message are there, of one that was decoded and of one that was written", () => {
  const written = { name: "train", status: proto.JobStatus.JOB_STATUS_RUNNING };
  const decoded = proto.JobInfo.decode(proto.JobInfo.encode(written).finish());
  expect(Object.keys(decoded)).not.toContain("nodeId");
  for (const message of [written, decoded]) {
    const fields = fieldsOf(proto.JobInfo, message);
    expect({ ...fields }).toEqual(defaults);
    expect(JSON.parse(JSON.stringify(fields))).toEqual(defaults);
  }
});
