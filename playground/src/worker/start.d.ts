// What the build puts in place: where the page's policy begins, and the program of the wasm backend.
declare module "playground:start" {
  import type { ModelConfig } from "@palimpsest/model";
  import type { RulerConfigInput } from "@palimpsest/small-world";
  import type { Recipe } from "@palimpsest/trainer";
  import type { ModelText } from "@palimpsest/trainer/in-process";

  const start: {
    readonly recipe: Recipe & {
      readonly data: { readonly ruler: RulerConfigInput };
      readonly evaluation: { readonly source: RulerConfigInput };
    };
    readonly model: ModelConfig;
    readonly text: ModelText;
    /** Little-endian float32 in base64, by the names of parameters. */
    readonly weights: Readonly<Record<string, string>>;
  };
  export default start;
}

declare module "playground:wasm" {
  const program: Uint8Array<ArrayBuffer>;
  export default program;
}
