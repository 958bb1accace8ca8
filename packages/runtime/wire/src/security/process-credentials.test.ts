/** Tests which of the credentials that its node sends a process takes, and which of its own it keeps. */
import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { identityOf, issueCertificate, makeAuthority } from "./certificates.js";
import { Credentials } from "./credentials.js";
import { adoptCredentials, credentialsOf, processCredentials } from "./process-credentials.js";

/** Certificates are backdated by five minutes, so this one expired almost that long ago. */
const expiredDays = -200 / 86_400;

it("PROCESS-CREDENTIALS-1: a certificate that has expired keeps back neither the new token nor the revocations", async () => {
  const authority = await makeAuthority("test", 1);
  const issue = async (days: number) =>
    identityOf(
      authority,
      await issueCertificate(authority, { role: "actor", name: "a", days }),
      "actor",
      "a",
    );
  const node = Credentials.ofCluster("before");
  const [valid, expired] = [await issue(1), await issue(expiredDays)];
  const actor = credentialsOf(processCredentials(node.grantFor("actor"), valid));
  const problems: unknown[] = [];
  const onProblem = (reason: unknown) => problems.push(reason);

  node.rotate("after", 60_000);
  const revoked = new Set(["AB12"]);
  adoptCredentials(actor, processCredentials(node.grantFor("actor"), { ...expired, revoked }), onProblem);
  expect(actor.token).toBe(node.grantFor("actor").token);
  expect(actor.identify("Bearer after")).toMatchObject({ role: "cluster", superseded: false });
  expect(actor.tls?.cert.equals(valid.cert)).toBe(true);
  expect(actor.tls?.revoked).toEqual(revoked);
  expect(problems).toMatchObject([
    { code: "CONFIG_INVALID", message: expect.stringContaining(new X509Certificate(expired.cert).validTo) },
  ]);

  const renewed = await issue(1);
  adoptCredentials(actor, processCredentials(node.grantFor("actor"), { ...renewed, revoked }), onProblem);
  expect(actor.tls?.cert.equals(renewed.cert)).toBe(true);
  expect(problems).toHaveLength(1);
});
