#!/usr/bin/env node
// `npm run setup`: what quickstart and test do first, alone.
import { setup } from "./setup/setup.mjs";

await setup();
