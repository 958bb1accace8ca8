import type { Command } from "commander";
import { addDataCheck } from "./data-check.js";
import { addDataFilter } from "./data-filter.js";
import { addDataOverlap } from "./data-overlap.js";
import { addDataPrepare } from "./data-prepare.js";
import { addDataRate } from "./data-rate.js";
import { addDataShow } from "./data-show.js";
import { addDataStats } from "./data-stats.js";

export function addData(program: Command): void {
  const data = program.command("data").description("data sets: prepare, check, show, compare, filter, rate");
  addDataPrepare(data);
  addDataCheck(data);
  addDataStats(data);
  addDataShow(data);
  addDataOverlap(data);
  addDataFilter(data);
  addDataRate(data);
}
