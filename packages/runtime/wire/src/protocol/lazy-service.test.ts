import type { ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";
import { expect, it } from "vitest";
import { type AcceptsServices, addLazily } from "./lazy-service.js";

const bytes = (text: string) => Buffer.from(text);

function methodOf(path: string): ServiceDefinition[string] {
  return {
    path,
    requestStream: true,
    responseStream: true,
    requestSerialize: bytes,
    requestDeserialize: String,
    responseSerialize: bytes,
    responseDeserialize: String,
  };
}

it("services are made when the first of them is called, once, and answer as if they had been there", () => {
  const added: { definition: ServiceDefinition; implementation: UntypedServiceImplementation }[] = [];
  const server: AcceptsServices = {
    addService: (definition, implementation) => void added.push({ definition, implementation }),
  };
  let makings = 0;
  const called: unknown[] = [];
  addLazily(server, ["/a.v1.Echo/Say", "/a.v2.Echo/Say", "/a.v3.Echo/Say"], (making) => {
    makings += 1;
    for (const version of ["v1", "v2"])
      making.addService(
        { Say: methodOf(`/a.${version}.Echo/Say`) },
        { Say: (call: unknown) => void called.push([version, call]) },
      );
  });
  expect(added.map(({ definition }) => definition["Say"]?.path)).toEqual([
    "/a.v1.Echo/Say",
    "/a.v2.Echo/Say",
    "/a.v3.Echo/Say",
  ]);
  expect(makings).toBe(0);
  const call = (at: number, value: unknown) => {
    const say = added[at]?.implementation["Say"] as unknown as ((call: unknown) => void) | undefined;
    say?.(value);
  };
  call(1, "hello");
  call(0, "again");
  expect(called).toEqual([
    ["v2", "hello"],
    ["v1", "again"],
  ]);
  const method = added[0]?.definition["Say"];
  expect(method?.requestDeserialize(bytes("said"))).toBe("said");
  expect(method?.responseSerialize("heard")).toEqual(bytes("heard"));
  expect(makings).toBe(1);
  expect(() => call(2, "lost")).toThrow("/a.v3.Echo/Say");
});
