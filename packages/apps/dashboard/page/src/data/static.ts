/**
 * Loads the answers of an exported folder. They are scripts beside the page, because a page that is opened from a
 * folder may load nothing else.
 */
import { staticName } from "../../../src/api/static-name.js";

const waiting = new Map<string, (value: unknown) => void>();

/** Whether this page was exported. */
export const isStatic = "palimpsestStatic" in globalThis;

if (isStatic)
  Object.assign(globalThis, {
    palimpsestAnswer(name: string, value: unknown) {
      waiting.get(name)?.(value);
      waiting.delete(name);
    },
  });

/** Answers that are being loaded, because two parts of a page may ask for the same one at once. */
const loading = new Map<string, Promise<unknown>>();

export async function loadStatic(path: string): Promise<unknown> {
  const name = staticName(path);
  const known = loading.get(name) ?? loadScript(name).finally(() => loading.delete(name));
  loading.set(name, known);
  return await known;
}

function loadScript(name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    waiting.set(name, resolve);
    const script = document.createElement("script");
    script.src = `data/${name}.js`;
    script.onload = () => script.remove();
    script.onerror = () => {
      waiting.delete(name);
      script.remove();
      reject(new Error(`this folder does not have ${name}`));
    };
    document.head.append(script);
  });
}
