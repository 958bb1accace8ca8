/**
 * Checks the manifests of deploy/kubernetes against the types of Kubernetes' own client, and the names in them against
 * each other.
 */
import { readdirSync, readFileSync } from "node:fs";
import * as client from "@kubernetes/client-node";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { type KubernetesConfig, parseAutoscaleConfig } from "../config.js";
import { podOf } from "./pod.js";

type Json = Readonly<Record<string, unknown>>;

const folder = new URL("../../../../../deploy/kubernetes/", import.meta.url);
const read = (file: string): Json[] =>
  parseAllDocuments(readFileSync(new URL(file, folder), "utf8"), { merge: true }).map(
    (document) => document.toJS() as Json,
  );
const objects = readdirSync(folder)
  .filter((file) => file.endsWith(".yaml") && !/^(kustomization|autoscale)\./.test(file))
  .flatMap(read);

interface Typed {
  getAttributeTypeMap(): readonly { readonly baseName: string; readonly type: string }[];
}

/** Returns fields that the type does not have and values of another type, each with its path. */
function problems(value: unknown, type: string, path: string): string[] {
  const list = /^(?:Array|Set)<(.*)>$/.exec(type)?.[1];
  if (list !== undefined)
    return Array.isArray(value)
      ? value.flatMap((item, at) => problems(item, list, `${path}[${at}]`))
      : [`${path} is no list`];
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  if (map !== undefined)
    return Object.entries(value ?? {}).flatMap(([key, each]) => problems(each, map, `${path}.${key}`));
  if (type === "any" || type === "object" || type === "Date") return [];
  if (type === "IntOrString")
    return /^(string|number)$/.test(typeof value) ? [] : [`${path} is ${typeof value}`];
  const known = (client as unknown as Record<string, Typed | undefined>)[type];
  if (known === undefined) return typeof value === type ? [] : [`${path} is ${typeof value}, not ${type}`];
  if (typeof value !== "object" || value === null) return [`${path} is ${String(value)}, not ${type}`];
  const fields = new Map(known.getAttributeTypeMap().map(({ baseName, type: of }) => [baseName, of]));
  return Object.entries(value).flatMap(([key, each]) => {
    const of = fields.get(key);
    return of === undefined
      ? [`${path}.${key} is no field of ${type}`]
      : problems(each, of, `${path}.${key}`);
  });
}

const typeOf = ({ apiVersion, kind }: Json) =>
  `${String(apiVersion).split("/").at(-1)?.replace(/^v/, "V")}${String(kind)}`;

function named(kind: string): string[] {
  return objects
    .filter((one) => one["kind"] === kind)
    .map((one) => (one["metadata"] as { name: string }).name);
}

const autoscale = parseAutoscaleConfig(read("autoscale.yaml")[0], "autoscale.yaml");
const nodePods = Object.entries(autoscale.nodeTypes).map(([name, type]) =>
  podOf({ name: `main-${name}-0`, type: { ...type, name } }, autoscale.provider as KubernetesConfig, {
    clusterName: "main",
    address: () => "",
  }),
);
const podSpecs = [
  ...nodePods.map(({ spec }) => spec as client.V1PodSpec),
  ...objects
    .filter(({ kind }) => kind === "StatefulSet")
    .map((one) => (one as unknown as client.V1StatefulSet).spec?.template.spec as client.V1PodSpec),
];

it("have the fields and types of the API, as have the Pods that the autoscaler makes", () => {
  expect(objects.length).toBeGreaterThan(8);
  for (const object of [...objects, ...(nodePods as unknown as Json[])])
    expect(problems(object, typeOf(object), String(object["kind"]))).toEqual([]);
  // This is what the check reports for a wrong manifest.
  const wrong = { kind: "Service", spec: { prts: [], ports: [{ port: "7420" }], selector: { app: 1 } } };
  expect(problems(wrong, "V1Service", "Service")).toEqual([
    "Service.spec.prts is no field of V1ServiceSpec",
    "Service.spec.ports[0].port is string, not number",
    "Service.spec.selector.app is number, not string",
  ]);
});

it("name what is there: Secrets that the script makes, config maps, accounts, services, every file of the list", () => {
  const script = readFileSync(new URL("secrets.sh", folder), "utf8");
  const secrets = [
    ...[...script.matchAll(/^ {2}secret (\S+)/gm)].map(([, name]) => name),
    ...[...script.matchAll(/^ {2}certs (\S+)/gm)].map(([, role]) => `palimpsest-tls-${role}`),
  ];
  for (const { volumes = [], containers, serviceAccountName } of podSpecs) {
    const mounted = new Set(
      containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)),
    );
    for (const { name, secret, configMap } of volumes) {
      expect(mounted).toContain(name);
      if (secret) expect(secrets).toContain(secret.secretName);
      if (configMap) expect(configMap.name).toBe("palimpsest-autoscale");
    }
    for (const { env = [] } of containers)
      for (const { valueFrom } of env)
        if (valueFrom?.secretKeyRef) expect(secrets).toContain(valueFrom.secretKeyRef.name);
    if (serviceAccountName !== undefined) expect(named("ServiceAccount")).toContain(serviceAccountName);
  }
  for (const one of objects) {
    const { serviceName } = (one["spec"] ?? {}) as { serviceName?: string };
    if (serviceName !== undefined) expect(named("Service")).toContain(serviceName);
  }
  const [{ resources } = {}] = read("kustomization.yaml") as { resources?: string[] }[];
  const files = readdirSync(folder).filter((file) => /\.yaml$/.test(file));
  expect([...(resources ?? []), "autoscale.yaml", "kustomization.yaml"].sort()).toEqual(files.sort());
});

it("get every secret as a file: none stands in an environment", () => {
  for (const { containers } of podSpecs)
    for (const { env = [] } of containers)
      for (const { name, valueFrom, value } of env) {
        expect(valueFrom?.secretKeyRef, name).toBeUndefined();
        if (/TOKEN|PASSWORD|REDIS_URL/.test(name))
          expect([name, value]).toEqual([
            expect.stringMatching(/_FILE$/),
            expect.stringMatching(/^\/etc\/palimpsest\//),
          ]);
      }
});

it("run as nobody in particular, without rights of the machine", () => {
  for (const { containers, securityContext } of podSpecs) {
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    for (const container of containers)
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
  }
});
