/** Node's Buffer in a browser, also as the global that the packages find. */
export { Buffer } from "buffer/";
