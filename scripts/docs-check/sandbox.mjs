// The surroundings of the documents' commands: a folder outside of the checkout with a cluster of its own, the run of a short
// quickstart under the name that the documents use, a small model, and an OpenAI-compatible server of it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkTarballs, linkThirdParty, makeEmptyProject } from "../pack/project.mjs";
import { pack } from "../pack.mjs";
import { run } from "../setup/command.mjs";
import { cacheDir } from "../setup/paths.mjs";
import { giveChatTemplate, layOut } from "./files.mjs";
import { startLine } from "./process.mjs";

const quickstartRun = "runs/quickstart-20260131-142530";

function hasProgram(name, ...args) {
  try {
    execFileSync(name, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export class Sandbox {
  /** Values that rules may use as `$NAME`. */
  values = {};
  /** What rules may need. */
  has = new Set();
  #servers = [];
  #root = "";

  /** @param {string} root the checkout */
  static async start(root) {
    const sandbox = new Sandbox();
    sandbox.folder = mkdtempSync(join(tmpdir(), "palimpsest-docs-"));
    try {
      await sandbox.#prepare(root);
      return sandbox;
    } catch (reason) {
      await sandbox.stop();
      throw reason;
    }
  }

  async #prepare(root) {
    this.#root = root;
    await this.#install();
    const shared = [process.env["PALIMPSEST_SHARED"], join(root, "../shared")].find(
      (path) => path && existsSync(path),
    );
    layOut(root, this.folder, shared);
    if (shared !== undefined) this.has.add("shared");
    if (existsSync(join(cacheDir, "models/smollm2-135m-instruct"))) this.has.add("smollm2");
    if (hasProgram("npm", "--version")) this.has.add("npm");
    const { PALIMPSEST_ADDRESS, PALIMPSEST_TOKEN, PALIMPSEST_TLS, ...inherited } = process.env;
    this.env = {
      ...inherited,
      PATH: `${join(this.folder, "node_modules/.bin")}:${inherited.PATH}`,
      // Nothing is read from or written to the user's own cluster; the models of the user's cache are read.
      PALIMPSEST_DATA_DIR: join(this.folder, "state"),
      PALIMPSEST_CACHE: cacheDir,
      PALIMPSEST_SETUP: "off",
      OPENAI_API_KEY: "none",
      API_KEY: "none",
      NO_COLOR: "1",
    };
    await this.serve("palimpsest head start", /listens on/);
    await this.serve("palimpsest worker join --cpus 4 --node-dir node", /joined/);
    await this.serve("palimpsest worker join --cpus 1 --node-dir spare", /joined/);
    this.values.ADDRESS = this.addressIn("state/head");
    this.values.TOKEN = readFileSync(join(this.folder, "state/head/token"), "utf8").trim();
    this.values.SPARE_NODE = /node-[0-9a-f]{12}/.exec(this.#servers.at(-1).output)?.[0] ?? "";
    await this.do(`palimpsest train recipe.yaml --run-dir ${quickstartRun}`);
    const checkpoints = readdirSync(join(this.folder, quickstartRun, "checkpoints"));
    this.values.STEP = `${Number(/\d+$/.exec(checkpoints.sort().at(-1))?.[0])}`;
    for (const name of ["runs/RUN", "RUN"])
      symlinkSync(join(this.folder, quickstartRun), join(this.folder, name));
    await this.do(
      "palimpsest model init corpus/a.txt --layers 1 --hidden-size 32 --heads 2 --vocab-size 512 --max-positions 8192 --out models/tiny",
    );
    giveChatTemplate(join(this.folder, "models/tiny"));
    const server = await this.serve(
      "palimpsest serve models/tiny --name my-model --port 0",
      /http:\/\/127\.0\.0\.1:\d+/,
    );
    this.values.ENDPOINT = /127\.0\.0\.1:\d+/.exec(server.output)?.[0];
  }

  /** The sandbox is a project with the packages as their users have them, and set up as their first use does it. */
  async #install() {
    makeEmptyProject(this.folder);
    const tarballs = join(this.folder, "tarballs");
    await linkTarballs(this.folder, tarballs, await pack(tarballs));
    // The last one lies where tfjs-node looks for it after an installation by npm.
    for (const name of ["tsx", "openai", "@tensorflow/tfjs-core"]) linkThirdParty(this.folder, name);
    for (const script of ["palimpsest/scripts/setup.mjs", "@palimpsest/jit/scripts/tensorflow.mjs"])
      await run(process.execPath, [join(this.folder, "node_modules", script)], { cwd: this.folder });
  }

  addressIn(folder) {
    return JSON.parse(readFileSync(join(this.folder, folder, "head.json"), "utf8")).address;
  }

  /** @param {{ input?: string, checkout?: boolean, exported?: readonly string[] }} how */
  start(line, { input, checkout = false, exported = [] } = {}) {
    const variables = Object.fromEntries(exported.map((one) => one.split(/=(.*)/s).slice(0, 2)));
    return startLine(line, {
      cwd: checkout ? this.#root : this.folder,
      env: { ...this.env, ...variables },
      input,
    });
  }

  async do(line) {
    const process = this.start(line);
    const wrong = await process.end();
    if (wrong !== "") throw new Error(`${line} ${wrong}: ${process.output.slice(-2000)}`);
  }

  async serve(line, pattern) {
    const process = this.start(line);
    this.#servers.push(process);
    const wrong = await process.says(pattern);
    if (wrong !== "") throw new Error(`${line} ${wrong}: ${process.output.slice(-2000)}`);
    return process;
  }

  /** Nodes end before their head. */
  async stop() {
    for (const server of this.#servers.reverse()) await server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
