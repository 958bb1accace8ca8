/** Reads the phases of learners and samplers from their metrics pages, before and after a profile. */
import { get as getPlain } from "node:http";
import { get as getEncrypted } from "node:https";
import { checkServer, PalimpsestError, type TlsIdentity } from "@palimpsest/wire";
import { type PhaseReading, phasesBetween, phasesOn } from "../analysis/phases.js";
import type { ProcessPhases } from "../api/profiles.js";

const timeoutMs = 3_000;
const mostPageBytes = 4 * 1024 * 1024;
/** So many processes are asked. */
const mostPages = 64;

/** A process with a metrics page. */
export interface MetricsPage {
  readonly actorId: string;
  readonly role: string;
  /** host:port; empty if there is none. */
  readonly address: string;
}

export interface MetricsAccess {
  /** `Bearer TOKEN` */
  readonly authorization: string;
  readonly tls: TlsIdentity | undefined;
}

/** Runs the work and returns, beside its result, what the processes did meanwhile. Those that do not answer are left out. */
export async function withPhases<Result>(
  pages: readonly MetricsPage[],
  access: MetricsAccess,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly phases: readonly ProcessPhases[] }> {
  const asked = pages.filter(({ address }) => address !== "").slice(0, mostPages);
  const before = await readAll(asked, access);
  const result = await work();
  // Only processes that had phases before are asked again.
  const again = asked.filter(({ actorId }) => before.has(actorId));
  const after = await readAll(again, access);
  const phases = again.flatMap(({ actorId, role }) => {
    const [first, last] = [before.get(actorId), after.get(actorId)];
    return first && last ? [phasesBetween({ actorId, role }, first, last)] : [];
  });
  return { result, phases };
}

async function readAll(
  pages: readonly MetricsPage[],
  access: MetricsAccess,
): Promise<ReadonlyMap<string, PhaseReading>> {
  const readings = await Promise.all(
    pages.map(async ({ actorId, address }) => {
      const page = await pageText(address, access).catch(() => "");
      return [actorId, phasesOn(page, performance.now())] as const;
    }),
  );
  return new Map(readings.flatMap(([id, reading]) => (reading === undefined ? [] : [[id, reading]])));
}

function pageText(address: string, { authorization, tls }: MetricsAccess): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { headers: { authorization }, timeout: timeoutMs, agent: false };
    const request =
      tls === undefined
        ? getPlain(`http://${address}/metrics`, options)
        : getEncrypted(`https://${address}/metrics`, {
            ...options,
            ...{ ca: tls.ca, cert: tls.cert, key: tls.key, minVersion: "TLSv1.3" },
            checkServerIdentity: (host, certificate) =>
              checkServer(host, certificate, ["actor"], tls.revoked),
          });
    const late = setTimeout(() => request.destroy(tooLate(address)), timeoutMs);
    request.on("close", () => clearTimeout(late)).on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      response.on("error", reject);
      response.on("data", (chunk: Buffer) => {
        sizeBytes += chunk.byteLength;
        if (sizeBytes > mostPageBytes) response.destroy(tooLate(address));
        else chunks.push(chunk);
      });
      response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    });
  });
}

const tooLate = (address: string) =>
  new PalimpsestError(
    "GET_TIMEOUT",
    `the metrics page at ${address} was not read within ${timeoutMs} ms, or has more than ${mostPageBytes} bytes`,
  );
