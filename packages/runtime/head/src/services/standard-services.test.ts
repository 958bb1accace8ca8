import { fileURLToPath } from "node:url";
import { loadSync } from "@grpc/proto-loader";
import { asProtocDescribes, fileMessages } from "@palimpsest/wire/descriptors";
import { expect, it } from "vitest";

it("descriptors are as protoc writes them: names of maps' entries, ends of reserved ranges", () => {
  const definition = loadSync(["palimpsest/v1/head.proto"], {
    includeDirs: [fileURLToPath(new URL("../../../../../protos", import.meta.url))],
  });
  asProtocDescribes(definition);
  const { fileDescriptorProtos } = definition["palimpsest.v1.ActorSpec"] as {
    fileDescriptorProtos: Buffer[];
  };
  const messages = fileDescriptorProtos.flatMap(fileMessages);
  const spec = messages.find(({ name }) => name === "ActorSpec");
  const entries = messages.flatMap(({ nestedType }) =>
    (nestedType ?? []).filter(({ options }) => options?.mapEntry),
  );
  expect(entries.length).toBeGreaterThan(2);
  for (const { name } of entries) expect(name).toMatch(/^[A-Z]\w*[a-z0-9]Entry$/);
  expect(spec?.field?.find(({ name }) => name === "labels")?.typeName).toBe("LabelsEntry");
  const ranges = messages.flatMap(({ reservedRange }) => reservedRange ?? []);
  expect(ranges.length).toBeGreaterThan(0);
  for (const { start, end } of ranges) expect(end).toBeGreaterThan(start);
});
