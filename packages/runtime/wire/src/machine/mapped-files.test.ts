import { execFileSync } from "node:child_process";
