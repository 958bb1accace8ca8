import type { Command } from "commander";
import { addModelChat } from "./model-chat.js";
import { addModelCheck } from "./model-check.js";
import { addModelConvert } from "./model-convert.js";
import { addModelDownload } from "./model-download.js";
import { addModelExport } from "./model-export.js";
import { addModelGenerate } from "./model-generate.js";
import { addModelInfo } from "./model-info.js";
import { addModelInit } from "./model-init.js";
import { addModelList } from "./model-list.js";

export function addModel(program: Command): void {
  const model = program
    .command("model")
    .description("models on disk: inspect, download, convert, create, try");
  addModelList(model);
  addModelInfo(model);
  addModelDownload(model);
  addModelConvert(model);
  addModelExport(model);
  addModelInit(model);
  addModelGenerate(model);
  addModelChat(model);
  addModelCheck(model);
}
