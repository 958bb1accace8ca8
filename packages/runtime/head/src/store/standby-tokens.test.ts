/** A standby and the head that leads, each with its real credentials, over gRPC. */
import { readFileSync } from "node:fs";
import { systemClock } from "@palimpsest/std";
import {
  type CallRecord,
  Credentials,
  grpcNetwork,
  headService,
  type Role,
  type RpcServer,
  roleToken,
  servePart,
  type TlsIdentity,
  tlsIdentity,
} from "@palimpsest/wire";
import { issueCertificate, makeAuthority, type Pem } from "@palimpsest/wire/certificates";
import { tokenPathOf } from "@palimpsest/wire/local-head";
import type * as proto from "@palimpsest/wire/protocol";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { adoptTokens, openCredentials } from "../rules/head-credentials.js";
import { TokenRotation } from "../rules/token-rotation.js";
import { serveTokens, type TokenStream } from "../services/token-service.js";
import { aConfig, quietLogger } from "../testing/builders.js";
import { ManualClock } from "../testing/manual-clock.js";
import { portOf } from "./head-files.js";
import { rowVersion } from "./row-versions.js";
import { StandbyTokens } from "./standby-tokens.js";

const first = "the-first-token-of-all";
const graceMs = 60_000;

let authority: Pem;
beforeAll(async () => {
  authority = await makeAuthority("test", 1);
});

async function identity(role: Role): Promise<TlsIdentity> {
  const { cert, key } = await issueCertificate(authority, { role, name: `a ${role}`, days: 1 });
  const pem = { ca: Buffer.from(authority.cert), cert: Buffer.from(cert), key: Buffer.from(key) };
  return tlsIdentity(pem, "the test");
}

/** The head that leads, whose server comes and goes at one address. */
class Leader {
  readonly clock = new ManualClock();
  readonly dataDir = testFolder();
  readonly records: CallRecord[] = [];
  readonly credentials: Credentials;
  readonly rotation: TokenRotation;
  address = "127.0.0.1:0";
  #server: RpcServer | undefined;

  constructor(tls: TlsIdentity | undefined) {
    const { clock, dataDir } = this;
    // Makes the files.
    openCredentials(aConfig({ dataDir, token: first }), clock);
    this.credentials = Credentials.ofCluster(first, { tls, clock });
    this.rotation = new TokenRotation({
      dataDir,
      clock,
      credentials: this.credentials,
      logger: quietLogger(),
    });
    onTestFinished(() => this.disappear());
  }

  async appear(): Promise<void> {
    const { credentials } = this;
    const network = grpcNetwork({ credentials, onCall: (record) => this.records.push(record) });
    this.#server = network.createServer();
    const followToken = (stream: TokenStream) => serveTokens(this.rotation, stream);
    servePart(this.#server, headService, { followToken });
    this.address = await this.#server.listen("127.0.0.1", portOf(this.address));
  }

  disappear(): void {
    this.#server?.kill();
  }

  async rotate(stolen: boolean): Promise<string> {
    const caller = { tokenRole: "cluster", tokenId: "", superseded: false, certificate: undefined } as const;
    const answer = this.rotation.rotate(caller, graceMs, stolen);
    await this.clock.advance(2_000);
    return (await answer).token ?? "";
  }
}

function standbyOf(leader: Leader, tls: TlsIdentity | undefined) {
  const dataDir = testFolder();
  const credentials = openCredentials(aConfig({ dataDir, token: first }), systemClock);
  const own = tls ? Credentials.ofCluster(credentials.token, { tls }) : credentials;
  const refusals: string[] = [];
  const tokens = new StandbyTokens({
    network: grpcNetwork({ credentials: own }),
    clock: systemClock,
    logger: quietLogger(),
    adopt: (state) => adoptTokens(dataDir, own, state, systemClock),
    onRefused: ({ code }) => refusals.push(code),
  });
  onTestFinished(() => tokens.close());
  tokens.follow(leader.address);
  const tokenFile = () => readFileSync(tokenPathOf(dataDir), "utf8").trim();
  return { credentials: own, refusals, tokenFile };
}

const followed = (leader: Leader) =>
  expect.poll(() => leader.records.filter(({ outcome }) => outcome === "OK").length);

describe.each([
  { what: "routine, without TLS", secure: false, stolen: false },
  { what: "routine, with TLS", secure: true, stolen: false },
  { what: "of a stolen token, with TLS", secure: true, stolen: true },
])("a rotation ($what)", ({ secure, stolen }) => {
  const isAccepted = (credentials: Credentials, token: string) =>
    credentials.identify(`Bearer ${token}`)?.role === "cluster";

  it("ROTATION-6: reaches a standby while its stream is open", async () => {
    const tls = secure ? await identity("head") : undefined;
    const leader = new Leader(tls);
    await leader.appear();
    const standby = standbyOf(leader, tls);
    await followed(leader).toBe(1);
    const token = await leader.rotate(stolen);
    await expect.poll(() => standby.credentials.token).toBe(token);
    expect(standby.tokenFile()).toBe(token);
    expect(isAccepted(standby.credentials, first)).toBe(!stolen);
  });

  it("STANDBY-TOKENS-1: reaches a standby whose stream was broken when it happened", async () => {
    const tls = secure ? await identity("head") : undefined;
    const leader = new Leader(tls);
    await leader.appear();
    const standby = standbyOf(leader, tls);
    await followed(leader).toBe(1);
    leader.disappear();
    const between = await leader.rotate(stolen);
    const token = await leader.rotate(stolen);
    expect(standby.credentials.token).toBe(first);
    await leader.appear();
    await expect.poll(() => standby.credentials.token).toBe(token);
    expect(standby.tokenFile()).toBe(token);
    expect(isAccepted(standby.credentials, between)).toBe(!stolen);
    expect(isAccepted(standby.credentials, first)).toBe(!stolen);
    expect(standby.refusals).toEqual([]);
  });
});

describe("the stream of tokens", () => {
  /** What it begins with for these credentials: the token, or the code of the refusal. */
  async function beginning(
    leader: Leader,
    credentials: Credentials,
    request: proto.FollowTokenRequest.$Properties = { rowVersion },
  ): Promise<string> {
    const peer = grpcNetwork({ credentials }).connect(leader.address);
    onTestFinished(() => peer.close());
    const stream = peer.serverStream(headService.followToken, request, { timeoutMs: 600_000 });
    return new Promise((resolve) => {
      stream.on("data", ({ token }: proto.TokenState.$Properties) => {
        resolve(token ?? "");
        stream.cancel();
      });
      stream.on("error", ({ message }) => resolve(message));
    });
  }

  it("without TLS is for the cluster's own token: not for derived ones, nor for one that was stolen", async () => {
    const leader = new Leader(undefined);
    await leader.appear();
    expect(await beginning(leader, Credentials.ofCluster(roleToken(first, "driver")))).toContain(
      "the driver token may not call /palimpsest.v1.Head/FollowToken",
    );
    const token = await leader.rotate(true);
    expect(await beginning(leader, Credentials.ofCluster(first))).toContain("not this cluster's");
    expect(await beginning(leader, Credentials.ofCluster(token))).toBe(token);
    const lines = leader.records.map(({ outcome, refused }) => [outcome, refused]);
    expect(lines).toEqual([
      ["PERMISSION_DENIED", true],
      ["UNAUTHENTICATED", true],
      ["OK", false],
    ]);
  });

  it("ROWS-2: is not for a standby that could not read the rows of this head", async () => {
    const leader = new Leader(undefined);
    await leader.appear();
    const credentials = Credentials.ofCluster(first);
    for (const request of [{}, { rowVersion: rowVersion - 1 }])
      expect(await beginning(leader, credentials, request)).toContain(
        `writes rows of version ${rowVersion}, and the standby reads up to ${rowVersion - 1}`,
      );
    expect(await beginning(leader, credentials, { rowVersion: rowVersion + 1 })).toBe(first);
  });

  it("with TLS is for a head's certificate, whatever the token, and for no other one", async () => {
    const leader = new Leader(await identity("head"));
    await leader.appear();
    const token = await leader.rotate(true);
    const of = async (role: Role, given: string) =>
      Credentials.ofCluster(given, { tls: await identity(role) });
    expect(await beginning(leader, await of("head", first))).toBe(token);
    for (const role of ["node", "driver", "actor", "reader"] as const) {
      expect(await beginning(leader, await of(role, token))).toContain(
        `certificate with role ${role} may not`,
      );
      expect(await beginning(leader, await of(role, first))).toContain(
        `certificate with role ${role} may not`,
      );
    }
    expect(leader.records.filter(({ refused }) => !refused)).toMatchObject([
      { outcome: "OK", caller: { tokenRole: "none", certificate: { role: "head", name: "a head" } } },
    ]);
  });
});
