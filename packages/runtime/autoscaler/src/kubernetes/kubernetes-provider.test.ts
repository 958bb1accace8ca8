/** Tests Pods against a stand-in for the API server over real HTTPS; testing/fake-kubernetes.ts says what it covers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { issueCertificate, makeAuthority } from "@palimpsest/wire/certificates";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { type KubernetesConfig, parseAutoscaleConfig } from "../config.js";
import { openProvider } from "../open-provider.js";
import type { NodeProvider } from "../provider.js";
import { FakeKubernetes } from "../testing/fake-kubernetes.js";
import { podOf } from "./pod.js";

const folder = fileFolder();
const token = "a-service-account's-token";
const signal = new AbortController().signal;
let tls: { cert: string; key: string; ca: string };
let fake: FakeKubernetes;
let provider: NodeProvider;

const parsed = (over: Record<string, unknown> = {}) =>
  parseAutoscaleConfig(
    {
      provider: {
        ...{ kind: "kubernetes", namespace: "ml", image: "palimpsest:1", tokenSecret: "cluster-token" },
        ...{ kubeconfig: join(folder, "kubeconfig"), headAddress: "head.ml.svc:6400", ...over },
      },
      nodeTypes: {
        gpu: {
          resources: { cpu: 8, gpu: 2, memory: 64e9, tpu: 1 },
          ...{ labels: { zone: "a" }, maxNodes: 3 },
          podTemplate: {
            metadata: { annotations: { team: "rl" } },
            spec: {
              nodeSelector: { pool: "gpu" },
              containers: [
                { name: "node", env: [{ name: "HF_HOME", value: "/models" }], image: "ignored" },
                { name: "sidecar", image: "logs:2" },
              ],
            },
          },
        },
      },
    },
    "test.yaml",
  );
const config = () => {
  const { nodeTypes, provider: own } = parsed();
  const type = nodeTypes["gpu"];
  if (type === undefined) throw new Error("no type");
  return { provider: own, type: { ...type, name: "gpu" } };
};
const open = (over: Record<string, unknown> = {}, clusterName = "Main") =>
  openProvider(parsed(over).provider, {
    ...{ clusterName, address: () => "10.0.0.1:6400", command: [], token: () => "never sent", tls: "" },
    defaultFolder: folder,
  });
it("mounts a node's TLS folder with what it hands to actors and drivers", () => {
  const { provider: own, type } = { ...config(), ...parsed({ tlsSecret: "node-tls" }) };
  const pod = podOf({ name: "n", type }, own as KubernetesConfig, { clusterName: "c", address: () => "h:1" });
  const volume = pod.spec?.volumes?.find(({ name }) => name === "palimpsest-tls");
  expect(volume?.secret?.secretName).toBe("node-tls");
  const paths = Object.fromEntries((volume?.secret?.items ?? []).map(({ key, path }) => [path, key]));
  expect(paths).toEqual({
    "ca.crt": "ca.crt",
    "tls.crt": "tls.crt",
    "tls.key": "tls.key",
    "actor/ca.crt": "ca.crt",
    "actor/tls.crt": "actor.tls.crt",
    "actor/tls.key": "actor.tls.key",
    "driver/ca.crt": "ca.crt",
    "driver/tls.crt": "driver.tls.crt",
    "driver/tls.key": "driver.tls.key",
  });
  expect(pod.spec?.containers[0]?.args).toContain("/etc/palimpsest/tls");
});

const create = (...names: string[]) =>
  provider.create(
    names.map((name) => ({ name, type: config().type })),
    signal,
  );

beforeAll(async () => {
  const authority = await makeAuthority("test", 2);
  const pem = await issueCertificate(authority, { role: "head", name: "api", hosts: ["127.0.0.1"], days: 2 });
  tls = { ...pem, ca: authority.cert };
});

beforeEach(async () => {
  fake = await FakeKubernetes.start(tls, "ml", token);
  const kubeconfig = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "test" },
    clusters: [
      {
        name: "test",
        cluster: { server: fake.url, "certificate-authority-data": Buffer.from(tls.ca).toString("base64") },
      },
    ],
    users: [{ name: "test", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
  };
  writeFileSync(join(folder, "kubeconfig"), JSON.stringify(kubeconfig));
  provider = await open();
});
afterEach(() => fake.close());

it("a Pod of the template joins with the token of the Secret, under the cluster's label", async () => {
  await create("main-gpu-0");
  const pod = fake.pods.get("main-gpu-0");
  expect(pod?.metadata).toMatchObject({
    ...{ namespace: "ml", annotations: { team: "rl" } },
    labels: { "palimpsest.dev/cluster": "Main", "palimpsest.dev/node-type": "gpu" },
  });
  expect(pod?.spec).toMatchObject({ restartPolicy: "Never", nodeSelector: { pool: "gpu" } });
  expect(pod?.spec?.containers.map(({ name }) => name)).toEqual(["node", "sidecar"]);
  const [node] = pod?.spec?.containers ?? [];
  expect(node).toMatchObject({
    image: "palimpsest:1",
    resources: {
      requests: { cpu: "8", memory: "64000000000", "nvidia.com/gpu": "2" },
      limits: { memory: "64000000000", "nvidia.com/gpu": "2" },
    },
  });
  expect(node?.args?.join(" ")).toBe(
    "worker join --address head.ml.svc:6400 --host $(POD_IP) --cpus 8 --gpus 2 --memory 64000000000 " +
      "--labels zone=a,palimpsest.instance=main-gpu-0 --resources tpu=1 --insecure",
  );
  expect(node?.env).toEqual(
    expect.arrayContaining([
      { name: "HF_HOME", value: "/models" },
      { name: "PALIMPSEST_TOKEN_FILE", value: "/etc/palimpsest/token/token" },
    ]),
  );
  expect(node?.volumeMounts).toEqual([
    { name: "palimpsest-token", mountPath: "/etc/palimpsest/token", readOnly: true },
  ]);
  expect(pod?.spec?.volumes).toEqual([
    {
      name: "palimpsest-token",
      secret: { secretName: "cluster-token", items: [{ key: "token", path: "token" }] },
    },
  ]);
  // The token itself appears nowhere in it.
  expect(JSON.stringify(pod)).not.toContain("never sent");
});

it("Pods are listed page by page by their label, with what they are in; others are never touched (PODS-1)", async () => {
  await create("main-gpu-0", "main-gpu-1", "main-gpu-2");
  fake.pageRows = 2;
  const other = await open({}, "other");
  await other.create([{ name: "other-gpu-0", type: config().type }], signal);
  fake.setStatus("main-gpu-0", {
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes" }],
  });
  fake.setStatus("main-gpu-1", { phase: "Running" });
  fake.setStatus("main-gpu-2", { phase: "Failed" });
  const listed = await provider.list(signal);
  expect(listed.map(({ name, nodeType, state, problem }) => [name, nodeType, state, problem])).toEqual([
    ["main-gpu-0", "gpu", "starting", "Unschedulable: 0/3 nodes"],
    ["main-gpu-1", "gpu", "running", ""],
    ["main-gpu-2", "gpu", "ended", ""],
  ]);
  const lists = fake.requests.filter(({ verb }) => verb === "list");
  expect(lists.map(({ query }) => [query["labelSelector"], query["continue"]])).toEqual([
    ["palimpsest.dev/cluster=Main", undefined],
    ["palimpsest.dev/cluster=Main", "v1/2"],
  ]);
  await provider.terminate(["main-gpu-1", "no-such-pod"], signal);
  expect((await provider.list(signal)).map(({ state }) => state)).toEqual(["starting", "ending", "ended"]);
  await expect(provider.terminate(["other-gpu-0"], signal)).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
  expect(fake.pods.get("other-gpu-0")?.metadata?.deletionTimestamp).toBeUndefined();
});

it("a Pod that exists counts as created when it is of this cluster, and is an error when it is not (PODS-2)", async () => {
  await create("main-gpu-0");
  await create("main-gpu-0", "main-gpu-1");
  expect([...fake.pods.keys()]).toEqual(["main-gpu-0", "main-gpu-1"]);
  const namesake = await open({}, "main");
  await expect(namesake.create([{ name: "main-gpu-0", type: config().type }], signal)).rejects.toThrow(
    /Pod main-gpu-0 in namespace ml does not belong to cluster main/,
  );
});

it("a list whose place was forgotten begins anew; one that always is fails", async () => {
  await create("main-gpu-0");
  const gone = { status: 410, reason: "Expired", message: "The provided continue parameter is too old" };
  fake.faults.push({ verb: "list", fault: gone });
  expect(await provider.list(signal)).toHaveLength(1);
  for (let at = 0; at < 4; at++) fake.faults.push({ verb: "list", fault: gone });
  await expect(provider.list(signal)).rejects.toThrow(/answered 410: The provided continue parameter/);
});

it("refusals say what the API server said, and how long it wants to be left alone", async () => {
  fake.faults.push({
    verb: "create",
    fault: { status: 429, reason: "TooManyRequests", message: "slow down", headers: { "retry-after": "7" } },
  });
  await expect(create("main-gpu-0")).rejects.toMatchObject({
    ...{
      code: "UNAVAILABLE",
      rawMessage: "create Pod main-gpu-0: the Kubernetes API answered 429: slow down",
    },
    details: { retryAfterMs: "7000" },
  });
  fake.faults.push({ verb: "create", fault: { status: 500, reason: "InternalError", message: "etcd" } });
  await expect(create("main-gpu-0")).rejects.toThrow(/answered 500: etcd/);
  fake.faults.push({
    verb: "create",
    fault: { status: 403, reason: "Forbidden", message: "exceeded quota: pods=3" },
  });
  await expect(create("main-gpu-0")).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  // The API server applies its own checks, here to an invalid name.
  await expect(create("Main_GPU")).rejects.toThrow(/answered 422: Pod is invalid/);
});

it("a request ends with its signal, and a server that is away is said to be", async () => {
  fake.silent = true;
  const waiting = new AbortController();
  const listing = provider.list(waiting.signal);
  await expect.poll(() => fake.requests.length).toBe(1);
  waiting.abort();
  await expect(listing).rejects.toThrow(/the Kubernetes API does not answer/);
  const broken = await open();
  await fake.close();
  await expect(broken.list(signal)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  fake = await FakeKubernetes.start(tls, "ml", token);
});

it("a kubeconfig that is not there, or a context that names no cluster, is refused by field", async () => {
  await expect(open({ kubeconfig: join(folder, "none") })).rejects.toThrow(
    /provider.kubeconfig .*none cannot be read: it does not exist/,
  );
  await expect(open({ context: "elsewhere" })).rejects.toThrow(
    /provider.context "elsewhere" names no cluster/,
  );
});
