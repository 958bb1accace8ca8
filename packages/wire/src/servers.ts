export { asProtocDescribes, fileMessages, protoFolder } from "./descriptors.js";
export { addStandardServices } from "./standard-services.js";
