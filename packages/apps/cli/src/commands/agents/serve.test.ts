import { afterEach, beforeEach, expect, it } from "vitest";
import { CommandRun } from "../testing.js";
import { addServe } from "./serve.js";

const cli = new CommandRun(addServe);
beforeEach(() => cli.begin());
afterEach(() => cli.end());

it("refuses a folder of weights that does not exist before the model is loaded", async () => {
  await expect(cli.run("serve", "nonesuch-model", "--weights-from", "/nonesuch")).rejects.toThrow(
    "--weights-from /nonesuch: does not exist; name the folder that has the weights",
  );
});
