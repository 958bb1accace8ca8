import { X509Certificate } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeSecretFile } from "@palimpsest/head/files";
import { shellWord } from "@palimpsest/std";
import { makeFolder } from "@palimpsest/std/files";
import { reasonText } from "@palimpsest/std/input";
import {
  loadTls,
  PalimpsestError,
  type Role,
  readRevoked,
  revokedFile,
  roles,
  tlsFiles,
} from "@palimpsest/wire";
import type { CertificateRequest, Pem } from "@palimpsest/wire/certificates";
import { type Command, Option } from "commander";
import { z } from "zod";
import { JsonOutput } from "../../display/json-output.js";
import { parseCount } from "../../input/key-values.js";

const authorityFolder = "ca";
const authorityFiles = { cert: "ca.crt", key: "ca.key" } as const;
const defaults = { folder: "certs", authorityDays: 3_650, days: 365 } as const;

interface InitOptions {
  readonly dir: string;
  readonly host: readonly string[];
  readonly days: number;
  readonly json?: boolean;
}

interface IssueOptions extends InitOptions {
  readonly role: Role;
  readonly name: string;
  readonly out?: string;
}

/** Loads the certificate library on first use, because other commands do not need it. */
const certificates = () => import("@palimpsest/wire/certificates");

const text = z.string();
const initOutput = new JsonOutput(() =>
  z.strictObject({
    authority: text.describe("folder of the CA"),
    folders: z.strictObject({ head: text, node: text, driver: text, reader: text }),
    days: z.int(),
  }),
);
const issueOutput = new JsonOutput(() =>
  z.strictObject({ folder: text, role: z.enum(roles), name: text, days: z.int() }),
);
const revokeOutput = new JsonOutput(() =>
  z.strictObject({
    serial: text,
    lists: z.array(text).describe("folders whose list of revoked certificates names it"),
  }),
);

export function addCerts(program: Command): void {
  const certs = program
    .command("certs")
    .description("creates and manages the certificates of a cluster, for --tls");
  withCommon(certs.command("init"), initOutput)
    .description("creates a CA and a folder of certificates for each role: head, node, driver, reader")
    .action(async (options: InitOptions) => {
      const folder = resolve(options.dir);
      if (existsSync(join(folder, authorityFolder, authorityFiles.key))) {
        throw new PalimpsestError(
          "ALREADY_EXISTS",
          `--dir: ${folder} already has a CA: \`palimpsest certs issue --dir ${shellWord(options.dir)}\` issues further certificates`,
        );
      }
      const authority = await (await certificates()).makeAuthority(
        "palimpsest cluster",
        defaults.authorityDays,
      );
      writePem(join(folder, authorityFolder), authority, authorityFiles);
      for (const role of ["head", "node", "driver", "reader"] as const) {
        await issueRole(authority, join(folder, role), {
          role,
          name: role,
          hosts: options.host,
          days: options.days,
        });
      }
      // Neither a commit nor a job's working directory must include the keys.
      writeFileSync(join(folder, ".gitignore"), "*\n");
      if (options.json) {
        const folders = {
          head: join(folder, "head"),
          node: join(folder, "node"),
          driver: join(folder, "driver"),
          reader: join(folder, "reader"),
        };
        initOutput.print({ authority: join(folder, authorityFolder), folders, days: options.days });
        return;
      }
      process.stdout.write(
        [
          `${join(folder, authorityFolder)} holds the CA's key: keep it off the machines of the cluster`,
          `head            palimpsest head start --tls ${shellWord(join(folder, "head"))} --host …`,
          `worker          copy ${join(folder, "node")} there; palimpsest worker join --tls …/node --host …`,
          `people, jobs    PALIMPSEST_TLS=${shellWord(join(folder, "driver"))} palimpsest job submit …`,
          `read only       PALIMPSEST_TLS=${shellWord(join(folder, "reader"))} palimpsest status`,
          `valid for       ${options.days} days; \`palimpsest certs issue\` renews a certificate`,
          "",
        ].join("\n"),
      );
    });
  certs
    .command("revoke")
    .description(
      "revokes a certificate, so that every process refuses it: writes its serial number into the revocation lists",
    )
    .argument("<certificate>", "its folder, its tls.crt, or its serial number in hexadecimal digits")
    .option("--dir <folder>", "folder of the CA and its certificates", defaults.folder)
    .addOption(revokeOutput.option())
    .action((certificate: string, options: { readonly dir: string; readonly json?: boolean }) => {
      const serial = serialOf(certificate);
      const folder = resolve(options.dir);
      readAuthority(folder);
      const lists = certificateFolders(folder);
      const authority = join(folder, authorityFolder);
      writeRevoked([authority, ...lists], [...new Set([...readRevoked(authority), serial])]);
      if (options.json) {
        revokeOutput.print({ serial, lists });
        return;
      }
      process.stdout.write(
        [
          `serial ${serial} is revoked, in ${lists.length} lists in ${folder}`,
          `copy ${revokedFile} next to tls.crt on every machine, in the TLS folders of the head and the workers (and in their subfolders actor and driver): they read it within seconds`,
          "",
        ].join("\n"),
      );
    });
  withCommon(certs.command("issue"), issueOutput)
    .description(
      "issues a further certificate, or renews one in its folder; processes read it within seconds",
    )
    .addOption(new Option("--role <role>", "role of its owner").choices(roles).makeOptionMandatory())
    .requiredOption("--name <name>", "name of its owner in the audit log")
    .option("--out <folder>", "where to write it (default: the name, in --dir)")
    .action(async (options: IssueOptions) => {
      const folder = resolve(options.dir);
      const out = outputFolder(folder, options);
      const { role, name, host: hosts, days } = options;
      refuseForeignFolder(out, { role, name });
      await issueRole(readAuthority(folder), out, { role, name, hosts, days });
      writeRevoked(certificateFolders(out), readRevoked(join(folder, authorityFolder)));
      if (options.json) issueOutput.print({ folder: out, role, name, days });
      else process.stdout.write(`${out}: role ${role}, name ${name}, valid for ${days} days\n`);
    });
}

/**
 * Returns the folder of a new certificate.
 * @throws {PalimpsestError} INVALID_ARGUMENT for a name that leads out of the folder
 */
function outputFolder(folder: string, { out, name }: IssueOptions): string {
  if (out !== undefined) return resolve(out);
  if (/^[^/\\\0]+$/.test(name) && name !== "." && name !== "..") return join(folder, name);
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `--name: ${JSON.stringify(name)} cannot be used as the name of a folder: give --out FOLDER`,
  );
}

/**
 * Refuses the CA's folder, and a folder whose certificate has another role or name. Only a certificate of the same role
 * and name may be renewed, because a head whose folder has a driver's certificate would not start again.
 * @throws {PalimpsestError} ALREADY_EXISTS, CONFIG_INVALID
 */
function refuseForeignFolder(out: string, wanted: { readonly role: Role; readonly name: string }): void {
  if (existsSync(join(out, authorityFiles.key))) {
    throw new PalimpsestError("ALREADY_EXISTS", `${out} holds the CA's key: give another --name or --out`);
  }
  if (!existsSync(join(out, tlsFiles.cert))) return;
  const { role, name } = loadTls(out, { expired: true });
  if (role === wanted.role && name === wanted.name) return;
  throw new PalimpsestError(
    "ALREADY_EXISTS",
    `${out} holds the certificate of role ${role}, name ${name}: give --role ${role} --name ${name} to renew it, ` +
      `or another --out for role ${wanted.role}, name ${wanted.name}`,
  );
}

function withCommon(command: Command, output: JsonOutput): Command {
  return command
    .option("--dir <folder>", "folder of the CA and its certificates", defaults.folder)
    .option(
      "--host <name>",
      "name or address for clients that check it, such as a browser; may be repeated",
      (value: string, before: readonly string[]) => [...before, value],
      [] as readonly string[],
    )
    .option("--days <count>", "how long certificates are valid", parseCount, defaults.days)
    .addOption(output.option());
}

/** Issues a certificate. A node also gets the certificates that it grants to the actors and the jobs that it starts. */
async function issueRole(authority: Pem, folder: string, request: CertificateRequest): Promise<void> {
  const { issueCertificate } = await certificates();
  const parts: [string, Role][] = [[folder, request.role]];
  if (request.role === "node")
    parts.push([join(folder, "actor"), "actor"], [join(folder, "driver"), "driver"]);
  for (const [path, role] of parts) {
    const name = role === request.role ? request.name : `${role} on ${request.name}`;
    const pem = await issueCertificate(authority, { ...request, role, name });
    writePem(path, pem, tlsFiles);
    writeFileSync(join(path, tlsFiles.ca), authority.cert, { mode: 0o600 });
  }
}

function writeRevoked(folders: readonly string[], serials: readonly string[]): void {
  if (serials.length === 0) return;
  for (const path of folders) writeSecretFile(join(path, revokedFile), `${serials.join("\n")}\n`);
}

/** Lists the folders with a certificate: the given folder and its subfolders, of which a node's folder has two. */
function certificateFolders(folder: string): string[] {
  const inside = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const own = existsSync(join(folder, tlsFiles.cert)) ? [folder] : [];
  return [...own, ...inside.flatMap(({ name }) => certificateFolders(join(folder, name)))];
}

/**
 * Returns the serial number of a certificate, which is given by its folder, by its file or by the number itself.
 * @throws {PalimpsestError} INVALID_ARGUMENT
 */
function serialOf(certificate: string): string {
  if (/^[0-9a-f]{8,}$/i.test(certificate)) return certificate.toUpperCase();
  const path = existsSync(join(certificate, tlsFiles.cert)) ? join(certificate, tlsFiles.cert) : certificate;
  try {
    return new X509Certificate(readFileSync(path)).serialNumber.toUpperCase();
  } catch (cause) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${JSON.stringify(certificate)} is neither a folder with ${tlsFiles.cert}, nor a certificate, nor a serial number (${reasonText(cause)})`,
      { cause },
    );
  }
}

function writePem(folder: string, pem: Pem, files: { readonly cert: string; readonly key: string }): void {
  makeFolder(folder, 0o700);
  writeSecretFile(join(folder, files.key), pem.key);
  writeSecretFile(join(folder, files.cert), pem.cert);
}

function readAuthority(folder: string): Pem {
  const read = (name: string) => {
    const path = join(folder, authorityFolder, name);
    try {
      return readFileSync(path, "utf8");
    } catch (cause) {
      throw new PalimpsestError(
        "NOT_FOUND",
        `--dir: ${path} cannot be read (${reasonText(cause)}): create a CA with \`palimpsest certs init\``,
        {
          cause,
        },
      );
    }
  };
  return { cert: read(authorityFiles.cert), key: read(authorityFiles.key) };
}
