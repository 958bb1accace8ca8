export { asProtocDescribes, fileMessages, protoFolder } from "./protocol/descriptors.js";
export { addStandardServices } from "./protocol/standard-services.js";
