/**
 * This is the other half of the worker's late-certificates.cts: it keeps Node.js from reading NODE_EXTRA_CA_CERTS as it
 * starts.
 */

const nodeName = "NODE_EXTRA_CA_CERTS";
const lateName = "PALIMPSEST_EXTRA_CA_CERTS";
/**
 * Matches flags with which Node.js trusts other certificates than its own. It adds those of the file to them, so it has
 * to read the file as it starts.
 */
const otherCertificates = /--use-(openssl|system)-ca/;

/**
 * Returns how a process trusts the same certificates without reading them as it starts.
 * @param preload the worker's late-certificates.cts; if it is absent, Node.js reads the file as it starts
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
