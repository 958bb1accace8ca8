export { bytesOf, type DurableFiles, durableFiles, namesIn } from "./durable-files.js";
export { makeFolder } from "./folder.js";
export { type LockOptions, withFolderLock } from "./folder-lock.js";
export { LineFile } from "./line-file.js";
export { replaceFile, replaceFileSync, WholeFile } from "./whole-file.js";
