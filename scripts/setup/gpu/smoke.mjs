// Tries what a GPU run needs, each in a process of its own, so that one failure hides no other.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "../command.mjs";
import { packageDir } from "../paths.mjs";

const prelude = `
const { attention, jit, loadBackend, tf } = await import(${JSON.stringify(pathToFileURL(join(packageDir("jit"), "dist/index.js")).href)});
const backend = await loadBackend({ device: "gpu" });
const need = (holds, what) => { if (!holds) throw new Error(what); };
`;

const tries = {
  "matrix product": `
const four = tf.matMul(tf.ones([256, 256]), tf.fill([256, 256], 2)).dataSync()[0];
need(four === 512, "a product gave " + four + " instead of 512");`,
  XLA: `
const module = jit({ backend, mode: "xla", state: { sum: { shape: [1024], dtype: "float32" } }, functions: {
  add: { inputs: { x: { shape: [1024], dtype: "float32" } }, body: (state, { x }) => ({ outputs: {}, state: { sum: tf.add(state.sum, tf.exp(x)) } }) } } });
module.call("add", { x: new Float32Array(1024) });
module.call("add", { x: new Float32Array(1024) });
const [two] = module.readState(["sum"]).sum;
need(two === 2, "a launch gave " + two + " instead of 2");
module.dispose();`,
  "cuDNN attention": `
const shape = [2, 64, 4, 64];
const specs = { q: { shape, dtype: "float32" }, k: { shape, dtype: "float32" }, v: { shape, dtype: "float32" } };
const values = (seed) => Float32Array.from({ length: 2 * 64 * 4 * 64 }, (_, i) => Math.sin(seed * 1000 + i * 0.37));
const inputs = { q: values(1), k: values(2), v: values(3) };
const run = (precision) => {
  const module = jit({ backend, mode: "xla", precision, state: {}, functions: { f: { inputs: specs, body: (_, { q, k, v }) => ({ outputs: { y: attention(q, k, v, { causal: true }) } }) } } });
  try { return module.call("f", inputs).y; } finally { module.dispose(); }
};
const [fused, composed] = [run("bfloat16"), run("float32")];
const squares = (of) => of.reduce((sum, x) => sum + x * x, 0);
const error = Math.sqrt(squares(fused.map((x, i) => x - composed[i])) / squares(composed));
need(error < 0.01, "attention of cuDNN differs by " + error + " from products and a softmax");`,
  NCCL: `
const { binding } = tf.backend();
const text = (name, value) => ({ name, type: binding.TF_ATTR_STRING, value });
const id = binding.createTensor([4], 1, Float32Array.of(1, 2, 3, 4));
const [sum] = binding.executeOp("NcclAllReduce", [
  text("reduction", "sum"), { name: "T", type: binding.TF_ATTR_TYPE, value: 1 },
  { name: "num_devices", type: binding.TF_ATTR_INT, value: 1 }, text("shared_name", "smoke") ], [id], 1);
const values = Array.from(binding.tensorDataSync(sum.id));
need(values.join() === "1,2,3,4", "a reduction over one GPU gave " + values.join());`,
};

const timeoutMs = 180_000;

/** The last line that says what went wrong: libtensorflow writes many before it. */
function reason(error) {
  const lines = (error.log ?? "").split("\n").filter((line) => /Error|error:|rror: /.test(line));
  return (lines.at(-1) ?? error.message).trim().slice(0, 400);
}

/** @returns one finding for each try, `problem` absent where it went well */
export async function smokeTest(say) {
  const findings = [];
  for (const [what, program] of Object.entries(tries)) {
    say(`trying ${what}`);
    try {
      await run(process.execPath, ["--input-type=module", "-e", `${prelude}${program}\nprocess.exit(0);`], {
        cwd: packageDir("jit"),
        timeout: timeoutMs,
      });
      findings.push({ what });
    } catch (error) {
      findings.push({ what, problem: reason(error) });
    }
  }
  return findings;
}
