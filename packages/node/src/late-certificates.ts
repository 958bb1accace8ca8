/** The other half of the worker's late-certificates.cts: keeps Node.js from reading NODE_EXTRA_CA_CERTS as it starts. */

const nodeName = "NODE_EXTRA_CA_CERTS";
const lateName = "PALIMPSEST_EXTRA_CA_CERTS";
/** Other certificates than those of Node.js itself are the ones to which those of the file are added. */
const otherCertificates = /--use-(openssl|system)-ca/;

/**
 * @param preload the worker's late-certificates.cts; absent: Node.js reads the file as it starts
 * @returns the environment of a process, and the flags of Node.js with which it trusts the same certificates
 */
export function lateCertificates(
  environment: Readonly<Record<string, string>>,
  preload: string | undefined,
): { readonly environment: Readonly<Record<string, string>>; readonly flags: readonly string[] } {
  const { [nodeName]: path, ...rest } = environment;
  if (!path || preload === undefined || otherCertificates.test(environment["NODE_OPTIONS"] ?? ""))
    return { environment, flags: [] };
  return { environment: { ...rest, [lateName]: path }, flags: ["--require", preload] };
}
